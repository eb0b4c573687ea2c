/* json_fuzz.c - reading any text as any struct; what is accepted survives a round trip. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void round_trip(const tp_struct *type, const void *value)
{
    static const tp_text_form forms[] = {TP_TEXT_JSON, TP_TEXT_JSON_PRETTY, TP_TEXT_LINE,
                                         TP_TEXT_BLOCK};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *text = NULL;
        void *back = NULL;
        tp_error err = {0};
        fuzz_require(tp_value_text(&text, type, value, forms[i]) == TP_OK, "cannot write");
        if (i < 2) {
            fuzz_require(tp_value_from_json(&back, type, text, strlen(text), &err) == TP_OK,
                         "cannot read what was written");
            fuzz_require(tp_value_equal(type, value, back), "the round trip changes the value");
        }
        free(back);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tp_struct *type = fuzz_struct(data, size);
    void *value = NULL;
    tp_error err = {0};

    if (type == NULL) {
        return 0;
    }
    tp_status status = tp_value_from_json(&value, type, (const char *)data + 2, size - 2, &err);
    if (status == TP_OK) {
        round_trip(type, value);
    } else {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
    }
    free(value);
    return 0;
}
