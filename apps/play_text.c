/* play_text.c - troupe play: programs as text and as blocks, in all languages. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "output.h"
#include "play.h"
#include "play/blocks.h"
#include "play/format.h"
#include "play/parse.h"
#include "universal/host/files.h"

static const char name[] = PLAY_NAME;

bool play_converts(const play_options *options)
{
    static const char *const list[] = {"--format", "--write", "--blocks", "--text", NULL};

    return tpi_text_among(list, options->action);
}

/* The language of --lang; NULL if there is no such one. */
static const tpi_play_lang *lang_of(const play_options *options)
{
    const tpi_play_lang *lang =
        tpi_play_lang_find(options->lang != NULL ? options->lang : tpi_play_lang_at(0)->name);

    if (lang == NULL) {
        tpi_buf names = {0};
        for (unsigned i = 0; tpi_play_lang_at(i) != NULL; i++) {
            tpi_buf_printf(&names, "%s%s", i > 0 ? ", " : "", tpi_play_lang_at(i)->name);
        }
        command_fail(name, EXIT_USAGE, "--lang %s: there is no such language; there are %s",
                     options->lang, tpi_buf_text(&names));
        tpi_buf_fini(&names);
    }
    return lang;
}

/* The program as a tree, from text or blocks; mistakes are added to the list. */
static int read_tree(const play_options *options, const play_source *source, tpi_play_tree *tree,
                     tpi_play_troubles *troubles)
{
    const char *text = tpi_buf_text(&source->text);
    tp_error err = {0};

    if (strcmp(options->action, "--text") != 0) {
        tpi_play_parse(tree, text, source->text.length, troubles);
    } else if (tpi_play_blocks_read(tree, text, source->text.length, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", options->path, err.text);
    }
    return EXIT_DONE;
}

/* Print a tree, or replace the file by it. */
static int put_tree(const play_options *options, const tpi_play_tree *tree)
{
    tpi_buf out = {0};
    tp_error err = {0};
    int result = EXIT_DONE;

    if (strcmp(options->action, "--blocks") == 0) {
        tpi_play_blocks_put(&out, tree);
    } else {
        tpi_play_format(&out, tree);
    }
    if (strcmp(options->action, "--write") != 0) {
        result = command_write(name, &out);
    } else if (out.failed ||
               tpi_file_write(options->path, tpi_buf_text(&out), out.length, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", out.failed ? "out of memory" : err.text);
    }
    tpi_buf_fini(&out);
    return result;
}

int play_convert(const play_options *options, const play_source *source)
{
    const tpi_play_lang *lang = lang_of(options);
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);
    tpi_play_tree tree = {0};
    int result = lang == NULL ? EXIT_USAGE : EXIT_DONE;

    if (troubles == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    if (result == EXIT_DONE) {
        result = read_tree(options, source, &tree, troubles);
    }
    if (result == EXIT_DONE && options->lang != NULL && troubles->count == 0 &&
        !troubles->no_memory) {
        tpi_play_lang_set(&tree, lang, troubles);
    }
    if (result == EXIT_DONE && (troubles->count > 0 || troubles->no_memory)) {
        tpi_play_troubles_sort(troubles);
        result = play_tell(troubles, options->path);
    }
    if (result == EXIT_DONE) {
        result = put_tree(options, &tree);
    }
    free(troubles);
    tpi_play_tree_fini(&tree);
    return result;
}

int play_describe(const play_options *options)
{
    const tpi_play_lang *lang = lang_of(options);
    tpi_vocabulary *vocabulary = NULL;
    tpi_buf out = {0};
    tp_error err = {0};

    if (lang == NULL) {
        return EXIT_USAGE;
    }
    if (tpi_files_vocabulary(&vocabulary, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    tpi_play_blocks_describe(&out, vocabulary, lang);
    tpi_vocabulary_destroy(vocabulary);
    return command_write(name, &out);
}
