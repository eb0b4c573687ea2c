/* web_say_fuzz.c - any bytes as a text of a WebSocket client: what is read of it lies inside, and
 * what is refused has a reason. */
#include <string.h>

#include "fuzz.h"
#include "web/say.h"

static void lies_inside(tpi_json_span span, const char *text, size_t length)
{
    char copy[48];

    if (span.text == NULL) {
        return;
    }
    fuzz_require(span.text >= text && span.text + span.length <= text + length,
                 "a span outside of the text");
    if (tpi_say_copy(copy, sizeof copy, span)) {
        fuzz_require(strlen(copy) < sizeof copy, "a copy without an end");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    tpi_say said;
    tpi_say_item item;
    tp_error err = {.text = ""};
    size_t items = 0;

    if (tpi_say_read(&said, text, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "refused without a reason");
        return 0;
    }
    lies_inside(said.name, text, size);
    lies_inside(said.id, text, size);
    lies_inside(said.secret, text, size);
    lies_inside(said.why, text, size);
    while (tpi_say_next(&said, &item)) {
        lies_inside(item.topic, text, size);
        lies_inside(item.encoding, text, size);
        lies_inside(item.schema, text, size);
        lies_inside(item.name, text, size);
        lies_inside(item.value, text, size);
        fuzz_require(++items <= size, "more items than bytes");
    }
    fuzz_require(!said.list.failed || said.list.reason[0] != '\0', "refused without a reason");
    return 0;
}
