#include "link.h"
int link_bench(bool json)
{
    return json;
}
