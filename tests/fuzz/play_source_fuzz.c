/* play_source_fuzz.c - any text as a program: mistakes have their places; what is right formats to
 * itself, goes through blocks, compiles to an image that the verifier accepts. */
#include <string.h>

#include "play/blocks.h"
#include "play/format.h"
#include "play/parse.h"
#include "play/program.h"
#include "universal.h"

static void check_formats(const tpi_play_tree *tree)
{
    static tpi_play_troubles troubles;
    tpi_play_tree again = {0}, from_blocks = {0};
    tpi_buf once = {0}, twice = {0}, blocks = {0}, back = {0};
    tp_error err = {0};

    memset(&troubles, 0, sizeof troubles);
    tpi_play_format(&once, tree);
    fuzz_require(tpi_play_parse(&again, tpi_buf_text(&once), once.length, &troubles),
                 "what was formatted is no program");
    tpi_play_format(&twice, &again);
    fuzz_require(strcmp(tpi_buf_text(&once), tpi_buf_text(&twice)) == 0,
                 "formatting twice changes the text");
    tpi_play_blocks_put(&blocks, tree);
    fuzz_require(tpi_play_blocks_read(&from_blocks, blocks.data, blocks.length, &err) == TP_OK,
                 err.text);
    tpi_play_format(&back, &from_blocks);
    fuzz_require(strcmp(tpi_buf_text(&once), tpi_buf_text(&back)) == 0,
                 "text and blocks are different programs");
    tpi_play_tree_fini(&again);
    tpi_play_tree_fini(&from_blocks);
    tpi_buf_fini(&once);
    tpi_buf_fini(&twice);
    tpi_buf_fini(&blocks);
    tpi_buf_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tpi_play_troubles troubles;
    tpi_play_tree tree = {0};
    tpi_play_program program = {0};
    tp_error err = {0};

    memset(&troubles, 0, sizeof troubles);
    if (tpi_play_parse(&tree, (const char *)data, size, &troubles)) {
        check_formats(&tree);
    }
    tpi_play_tree_fini(&tree);
    memset(&troubles, 0, sizeof troubles);
    if (tpi_play_compile(&program, (const char *)data, size, fuzz_vocabulary(), &troubles)) {
        fuzz_require(tpi_play_verify((const uint8_t *)program.image.data, program.image.length,
                                     &err) == TP_OK,
                     err.text);
    } else {
        fuzz_require(troubles.count > 0, "a program without a mistake is refused");
        for (unsigned i = 0; i < tpi_play_trouble_count(&troubles); i++) {
            fuzz_require(troubles.list[i].line > 0 && troubles.list[i].column > 0,
                         "a mistake without its place");
        }
    }
    tpi_play_program_fini(&program);
    return 0;
}
