/* jsonlines_fuzz.c - any bytes as a line for the example of a front: what is read of it lies inside
 * the line, and an address that is accepted is one. */
#include <string.h>

#include "../../examples/front-out-of-tree/line.h"
#include "fuzz.h"

static void lies_inside(const struct slice *slice, const char *text, size_t length)
{
    if (slice->text != NULL) {
        fuzz_require(slice->text >= text && slice->length <= length &&
                         slice->text + slice->length <= text + length,
                     "a member outside of the line");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tp_catalogue *catalogue;
    const char *text = (const char *)data;
    struct line line;
    tp_devaddr address;
    tp_error err = {0};

    if (catalogue == NULL) {
        fuzz_require(tp_catalogue_create(&catalogue, &err) == TP_OK, "no catalogue");
    }
    if (jsonlines_read(&line, text, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "refused without a reason");
        return 0;
    }
    const struct slice *members[] = {&line.op,  &line.device, &line.message,
                                     &line.key, &line.why,    &line.value};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        lies_inside(members[i], text, size);
    }
    if (jsonlines_address(&line.device, catalogue, &address)) {
        fuzz_require(tp_catalogue_code(catalogue, address.interf) != NULL, "no such interface");
    }
    return 0;
}
