/* play_blocks_fuzz.c - any text as blocks: refused with its place, or a text that is a program and
 * gives the same blocks again. */
#include <string.h>

#include "fuzz.h"
#include "play/blocks.h"
#include "play/format.h"
#include "play/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tpi_play_troubles troubles;
    tpi_play_tree tree = {0}, again = {0};
    tpi_buf text = {0}, second = {0};
    tp_error err = {0};

    memset(&troubles, 0, sizeof troubles);
    if (tpi_play_blocks_read(&tree, (const char *)data, size, &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "line ", 5) == 0, "an error without its place");
    } else {
        tpi_play_format(&text, &tree);
        fuzz_require(tpi_play_parse(&again, tpi_buf_text(&text), text.length, &troubles) ||
                         text.length > TPI_PLAY_MOST_SOURCE,
                     "blocks whose text is no program");
        if (again.body != NULL) {
            tpi_play_format(&second, &again);
            fuzz_require(strcmp(tpi_buf_text(&text), tpi_buf_text(&second)) == 0,
                         "blocks and their text are different programs");
        }
    }
    tpi_play_tree_fini(&tree);
    tpi_play_tree_fini(&again);
    tpi_buf_fini(&text);
    tpi_buf_fini(&second);
    return 0;
}
