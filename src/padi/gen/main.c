/*
 * main.c - troupe-padi: from interface files to C and documentation.
 *
 * Writes NAME.h, NAME_padi.c, NAME_client.h and NAME.md for each file. `use` is looked up beside
 * the file, then in the folders given with -I, then where Troupe is installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "padi/gen/gen.h"
#include "platform/folder.h"

enum { LARGEST_FILE = 4 << 20, DEEPEST_USE = 16, MOST_FOLDERS = 32 };

static const char usage[] =
    "usage: troupe-padi [options] FILE.padi...\n"
    "\n"
    "Checks interface files and writes for each NAME.h and NAME_padi.c (its structs and tables),\n"
    "NAME_client.h (calls of robot programs) and NAME.md (a page about it).\n"
    "\n"
    "  -o DIR      write into DIR (default: the current folder)\n"
    "  -I DIR      look for `use NAME` in DIR too; may be repeated\n"
    "  --check     only check, write nothing\n"
    "  --driver    write what a driver of the interface calls instead: NAME_driver.h\n"
    "  --builtin   Troupe's own build: codes may be below 200, headers are\n"
    "              troupe/interfaces/NAME.h\n"
    "  --client    Troupe's own build: write troupe/client/NAME.h only\n"
    "  --index     Troupe's own build: write all.h and builtin.c for all the files instead\n"
    "  --help      this text\n"
    "\n"
    "The language is described in padi.md (docs/ of the sources, share/doc/troupe installed).\n";

struct options {
    const char *output;
    const char *folders[MOST_FOLDERS];
    size_t folder_count;
    bool check_only;
    bool driver;
    bool builtin;
    bool client;
    bool index;
};

/* A parsed file. */
struct unit {
    struct unit *next; /* owned */
    tpi_padi padi;
    bool library; /* found with -I or installed, not beside the file that uses it */
};

struct session {
    const struct options *options;
    struct unit *units; /* owned, newest first */
    const char *path;   /* of the file that is being parsed */
    unsigned depth;
};

static struct unit *find_unit(const struct session *s, const char *name)
{
    for (struct unit *unit = s->units; unit != NULL; unit = unit->next) {
        if (strcmp(unit->padi.interface.name, name) == 0) {
            return unit;
        }
    }
    return NULL;
}

static const tp_interface *find_used(void *context, const char *name, tp_error *err);

static tp_status read_unit(struct session *s, const char *path, bool library, tpi_padi *padi,
                           tp_error *err)
{
    const tpi_padi_scope scope = {find_used, s, s->options->builtin || library};
    const char *outer = s->path;
    tpi_buf text = {0};
    tp_status status = tpi_file_read(&text, path, LARGEST_FILE, err);

    if (status == TP_OK) {
        s->path = path;
        s->depth++;
        status = tpi_padi_parse(padi, path, tpi_buf_text(&text), text.length, &scope, err);
        s->depth--;
        s->path = outer;
    }
    tpi_buf_fini(&text);
    return status;
}

static tp_status parse(struct session *s, const char *path, bool library, struct unit **out,
                       tp_error *err)
{
    struct unit *unit = calloc(1, sizeof *unit);

    if (unit == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    const tp_status status = read_unit(s, path, library, &unit->padi, err);
    if (status != TP_OK) {
        free(unit);
        return status;
    }
    unit->library = library;
    unit->next = s->units;
    s->units = unit;
    *out = unit;
    return TP_OK;
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

/* DIR/NAME.padi into `path`; whether there is such a file. */
static bool try_folder(tpi_buf *path, const char *folder, int length, const char *name)
{
    tpi_buf_clear(path);
    tpi_buf_printf(path, "%.*s%s%s.padi", length, folder,
                   length > 0 && folder[length - 1] != '/' ? "/" : "", name);
    return !path->failed && exists(path->data);
}

/* The installed interfaces, found from the folder of this program: PREFIX/bin. */
static bool try_own(tpi_buf *path, const char *name)
{
    char prefix[3072];
    char folder[4096];

    if (!tpi_folder_above(false, 2, prefix, sizeof prefix)) {
        return false;
    }
    const int length =
        snprintf(folder, sizeof folder, "%s/" TROUPE_DATA_DIR "/troupe/interfaces", prefix);
    return try_folder(path, folder, length, name);
}

static bool locate(const struct session *s, const char *name, tpi_buf *path, bool *library)
{
    const char *slash = strrchr(s->path, '/');

    *library = false;
    if (try_folder(path, s->path, slash == NULL ? 0 : (int)(slash - s->path), name)) {
        return true;
    }
    *library = true;
    for (size_t i = 0; i < s->options->folder_count; i++) {
        const char *folder = s->options->folders[i];
        if (try_folder(path, folder, (int)strlen(folder), name)) {
            return true;
        }
    }
    return try_own(path, name) ||
           try_folder(path, TROUPE_INTERFACES_DIR, (int)strlen(TROUPE_INTERFACES_DIR), name);
}

static const tp_interface *find_used(void *context, const char *name, tp_error *err)
{
    struct session *s = context;
    struct unit *unit = find_unit(s, name);
    tpi_buf path = {0};
    bool library;

    if (unit == NULL && s->depth == DEEPEST_USE) {
        tp_fail(err, TP_E_LIMIT, "use is nested more than %d deep, or in a circle", DEEPEST_USE);
    } else if (unit == NULL && !locate(s, name, &path, &library)) {
        tp_fail(err, TP_E_UNKNOWN, "there is no %s.padi beside this file or in a folder of -I",
                name);
    } else if (unit == NULL) {
        parse(s, path.data, library, &unit, err);
    }
    tpi_buf_fini(&path);
    return unit == NULL ? NULL : &unit->padi.interface;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static tp_status write_file(const struct options *options, const char *name, const char *suffix,
                            tpi_buf *text, tp_error *err)
{
    tpi_buf path = {0};

    tpi_buf_printf(&path, "%s/%s%s", options->output, name, suffix);
    tp_status status = path.failed || text->failed
                           ? tp_fail(err, TP_E_NOMEM, "%s%s: out of memory", name, suffix)
                           : tpi_file_write(path.data, tpi_buf_text(text), text->length, err);
    tpi_buf_fini(&path);
    tpi_buf_clear(text);
    return status;
}

static tp_status write_client(const struct options *options, const tp_interface *interface,
                              const gen_names *names, const char *suffix, tp_error *err)
{
    tpi_buf text = {0};

    gen_client(&text, interface, names);
    tp_status status = write_file(options, interface->name, suffix, &text, err);
    tpi_buf_fini(&text);
    return status;
}

static tp_status write_texts(const struct options *options, const tpi_padi *padi,
                             const gen_names *names, tp_error *err)
{
    const tp_interface *interface = &padi->interface;
    tpi_buf text = {0};

    gen_header(&text, padi, names);
    tp_status status = write_file(options, interface->name, ".h", &text, err);
    if (status == TP_OK) {
        gen_source(&text, padi, names);
        status = write_file(options, interface->name, "_padi.c", &text, err);
    }
    if (status == TP_OK) {
        gen_page(&text, interface);
        status = write_file(options, interface->name, ".md", &text, err);
    }
    if (status == TP_OK && !options->builtin) {
        status = write_client(options, interface, names, "_client.h", err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* Troupe's own stand in a folder, troupe/driver, so that they can be called like the interface. */
static tp_status write_driver_header(const struct options *options, const tpi_padi *padi,
                                     const gen_names *names, tp_error *err)
{
    tpi_buf text = {0};

    gen_driver_header(&text, padi, names);
    tp_status status = write_file(options, padi->interface.name,
                                  options->builtin ? ".h" : "_driver.h", &text, err);
    tpi_buf_fini(&text);
    return status;
}

static tp_status write_interface(const struct session *s, const struct unit *unit, tp_error *err)
{
    static const char library[] = "troupe/interfaces/";
    const tp_interface *interface = &unit->padi.interface;
    const char **prefixes = calloc(interface->use_count + 1, sizeof(const char *));

    if (prefixes == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", interface->name);
    }
    for (uint32_t i = 0; i < interface->use_count; i++) {
        const struct unit *used = find_unit(s, interface->uses[i]);
        prefixes[i] = s->options->builtin || used->library ? library : "";
    }
    const gen_names names = {s->options->builtin ? library : "", prefixes};
    tp_status status = TP_OK;

    if (s->options->client) {
        status = write_client(s->options, interface, &names, ".h", err);
    } else if (s->options->driver) {
        status = write_driver_header(s->options, &unit->padi, &names, err);
    } else {
        status = write_texts(s->options, &unit->padi, &names, err);
    }
    free((void *)prefixes);
    return status;
}

static tp_status write_index(const struct options *options, const tpi_padi *const *padis,
                             size_t count, tp_error *err)
{
    tpi_buf text = {0};

    if (options->client) {
        gen_all_clients(&text, padis, count);
    } else {
        gen_all_header(&text, padis, count);
    }
    tp_status status = write_file(options, "all", ".h", &text, err);
    if (status == TP_OK && !options->client) {
        gen_builtin_table(&text, padis, count);
        status = write_file(options, "builtin", ".c", &text, err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* Whether another of the files describes an interface with the same name or code. */
static tp_status check_distinct(const char *path, const tpi_padi *padi,
                                const tpi_padi *const *others, size_t count, tp_error *err)
{
    const tp_interface *own = &padi->interface;

    for (size_t i = 0; i < count; i++) {
        const tp_interface *other = &others[i]->interface;
        if (strcmp(other->name, own->name) == 0) {
            return tp_fail(err, TP_E_EXISTS, "%s: there is an interface %s already", path,
                           own->name);
        }
        if (other->code == own->code) {
            return tp_fail(err, TP_E_EXISTS, "%s: interface %s has the code %u of %s", path,
                           own->name, own->code, other->name);
        }
    }
    return TP_OK;
}

static tp_status run(struct session *s, char **files, size_t count, tp_error *err)
{
    const tpi_padi **padis = calloc(count, sizeof(const tpi_padi *));
    tp_status status = TP_OK;

    if (padis == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        struct unit *unit = NULL;
        status = parse(s, files[i], false, &unit, err);
        if (status != TP_OK || unit == NULL) {
            break;
        }
        padis[i] = &unit->padi;
        status = check_distinct(files[i], padis[i], padis, i, err);
        if (status == TP_OK && !s->options->check_only && !s->options->index) {
            status = write_interface(s, unit, err);
        }
    }
    if (status == TP_OK && s->options->index) {
        status = write_index(s->options, padis, count, err);
    }
    free((void *)padis);
    return status;
}

static void free_units(struct session *s)
{
    while (s->units != NULL) {
        struct unit *next = s->units->next;
        tpi_padi_fini(&s->units->padi);
        free(s->units);
        s->units = next;
    }
}

/* ---- Command line ---------------------------------------------------------------------------- */

/* One option at argv[i]; how many arguments it takes, 0 if it is none. */
static int read_option(struct options *options, int argc, char **argv, int i)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--check", &options->check_only},
                 {"--driver", &options->driver},
                 {"--builtin", &options->builtin},
                 {"--client", &options->client},
                 {"--index", &options->index}};

    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
        options->output = argv[i + 1];
        return 2;
    }
    if (strcmp(argv[i], "-I") == 0 && i + 1 < argc && options->folder_count < MOST_FOLDERS) {
        options->folders[options->folder_count++] = argv[i + 1];
        return 2;
    }
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
        if (strcmp(argv[i], flags[k].name) == 0) {
            *flags[k].flag = true;
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {.output = "."};
    struct session session = {.options = &options};
    tp_error err = {0};
    int i = 1;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    while (i < argc && argv[i][0] == '-') {
        int taken = read_option(&options, argc, argv, i);
        if (taken == 0) {
            fprintf(stderr, "troupe-padi: %s: unknown option or missing value\n%s", argv[i], usage);
            return 2;
        }
        i += taken;
    }
    if (i == argc) {
        fprintf(stderr, "troupe-padi: no file\n%s", usage);
        return 2;
    }
    tp_status status = run(&session, argv + i, (size_t)(argc - i), &err);
    free_units(&session);
    if (status != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    return status == TP_OK ? 0 : 1;
}
