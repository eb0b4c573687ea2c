/* log_text_fuzz.c - any text as a recording of Player's writelog; what is read can be written, and
 * is read again as the same message. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "log/text.h"

static void write_again(const tpi_log_text *head, const void *value)
{
    tpi_buf line = {0};
    tpi_log_text again;
    void *other = NULL;

    fuzz_require(tpi_log_text_has(head->interface, head->what), "read, but not known");
    fuzz_require(tpi_log_text_write(&line, head, value, NULL) == TP_OK, "read, but not written");
    fuzz_require(tpi_log_text_read(&again, tpi_buf_text(&line), fuzz_catalogue(), &other, NULL) ==
                     TP_OK,
                 "written, but not read");
    fuzz_require(again.what == head->what && again.index == head->index &&
                     again.time_ns == head->time_ns,
                 "another message");
    free(other);
    tpi_buf_fini(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text, *end; line != NULL && line < text + size; line = end) {
        tpi_log_text head;
        void *value = NULL;
        tp_error err = {.text = ""};

        end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        const tp_status status = tpi_log_text_read(&head, line, fuzz_catalogue(), &value, &err);
        if (status == TP_OK) {
            write_again(&head, value);
        } else {
            fuzz_require(value == NULL, "a value of a refused line");
            fuzz_require(status == TP_E_CLOSED || status == TP_E_NOMEM || err.text[0] != '\0',
                         "refused without a reason");
        }
        free(value);
    }
    free(text);
    return 0;
}
