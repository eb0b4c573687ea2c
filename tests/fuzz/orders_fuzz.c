/* orders_fuzz.c - orders to devices of the server: whatever text comes, their numbers are finite.
 */
#include "../../drivers/robotfile/orders.h"

#include <math.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct order order;

    if (tpi_robotfile_order_read(&order, (const char *)data, size)) {
        fuzz_require(order.verb < ORDERS, "no such order");
        for (unsigned i = 0; i < ORDER_NUMBERS; i++) {
            fuzz_require(isfinite(order.numbers[i]), "a number that is none");
        }
    }
    return 0;
}
