/* conditions_fuzz.c - any text as what tp_client_find() is told: what is accepted can be judged,
 * and mistakes have a place in the text. */
#include <stdlib.h>
#include <string.h>

#include "client/conditions.h"
#include "fuzz.h"

static void judge(const tpi_conditions *wanted)
{
    static char red[] = "red";
    const tpi_fact facts[] = {{.text = NULL},
                              {.text = red},
                              {.text = red, .is_number = true, .number = 1},
                              {.text = red, .is_number = true, .number = -1}};
    char text[64];

    for (size_t i = 0; i < wanted->count; i++) {
        const tpi_wish *wish = &wanted->wishes[i];
        fuzz_require(wish->name != NULL, "a wish without a name");
        tpi_wish_text(wish, text, sizeof text);
        for (size_t a = 0; a < 4 && tpi_wish_is_condition(wish); a++) {
            fuzz_require(a > 0 || !tpi_wish_is_met(wish, &facts[a]), "nothing meets a condition");
            tpi_wish_is_met(wish, &facts[a]);
        }
        for (size_t a = 0; a < 4 && !tpi_wish_is_condition(wish); a++) {
            for (size_t b = 0; b < 4; b++) {
                fuzz_require(tpi_wish_compare(wish, &facts[a], &facts[b]) ==
                                 -tpi_wish_compare(wish, &facts[b], &facts[a]),
                             "the order depends on who is asked first");
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    tpi_conditions wanted;
    tp_error err = {0};
    unsigned column = 0;

    fuzz_require(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    if (tpi_conditions_parse(&wanted, text, &err) == TP_OK) {
        judge(&wanted);
        tpi_conditions_fini(&wanted);
    } else {
        fuzz_require(strncmp(err.text, "column ", 7) == 0, "a mistake without a place");
        column = (unsigned)strtoul(err.text + 7, NULL, 10);
        fuzz_require(column >= 1 && column <= strlen(text) + 1, "a place outside of the text");
    }
    free(text);
    return 0;
}
