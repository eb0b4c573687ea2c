/* cmd_motion.c - troupe motion: descriptions of mechanisms. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "commands.h"
#include "motion_text.h"
#include "output.h"
#include "platform/folder.h"

static const char name[] = "motion";

enum { MOST_BYTES = 16 << 20 }; /* of a description */

static tp_status load(tpi_mechanism **out, const char *path, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status = tpi_file_read(&text, path, MOST_BYTES, err);

    if (status == TP_OK) {
        status = tpi_urdf_read(out, text.data, text.length, path, err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* ---- describe -------------------------------------------------------------------------------- */

static int describe(int argc, char **argv)
{
    const char *path = NULL;
    bool json = false;
    tpi_mechanism *mechanism = NULL;
    tpi_buf out = {0};
    tp_error err = {0};

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if ((argv[i][0] == '-' && argv[i][1] != '\0') || path != NULL) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            path = argv[i];
        }
    }
    if (path == NULL) {
        return command_fail(name, EXIT_USAGE, "which file?");
    }
    if (load(&mechanism, path, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    (json ? motion_json_put : motion_text_put)(&out, mechanism);
    tpi_mechanism_destroy(mechanism);
    return command_write(name, &out);
}

/* ---- check ----------------------------------------------------------------------------------- */

/* One line about a file; an exit code. */
static int check_file(const char *path)
{
    tpi_mechanism *mechanism = NULL;
    tpi_buf out = {0};
    tp_error err = {0};
    unsigned warnings = 0;

    if (load(&mechanism, path, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    for (const tpi_mechanism_warning *w = mechanism->warnings; w != NULL; w = w->next) {
        warnings++;
    }
    output_put_clean(&out, path, strlen(path));
    tpi_buf_puts(&out, ": ");
    motion_text_put_counts(&out, mechanism);
    if (warnings > 0) {
        tpi_buf_printf(&out, ", %u warning%s", warnings, warnings == 1 ? "" : "s");
    }
    tpi_buf_putc(&out, '\n');
    tpi_mechanism_destroy(mechanism);
    return command_write(name, &out);
}

static int is_description(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 5 && strcmp(entry->d_name + length - 5, ".urdf") == 0;
}

/* All descriptions of a folder, by name. */
static int check_folder(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_description, alphasort);
    int result = EXIT_DONE;

    if (count <= 0) {
        free((void *)entries);
        return command_fail(name, EXIT_FAILED, "%s: %s", folder,
                            count < 0 ? "it cannot be read" : "it has no .urdf file");
    }
    for (int i = 0; i < count; i++) {
        tpi_buf path = {0};

        tpi_buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
        if (check_file(tpi_buf_text(&path)) != EXIT_DONE) {
            result = EXIT_FAILED;
        }
        tpi_buf_fini(&path);
        free(entries[i]);
    }
    free((void *)entries);
    return result;
}

static int check(int argc, char **argv)
{
    int result = EXIT_DONE;

    if (argc == 0) {
        return command_fail(name, EXIT_USAGE, "which files or folders?");
    }
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return command_unexpected(name, argv[i], NULL);
        }
    }
    for (int i = 0; i < argc; i++) {
        if ((tpi_folder_exists(argv[i]) ? check_folder : check_file)(argv[i]) != EXIT_DONE) {
            result = EXIT_FAILED;
        }
    }
    return result;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} parts[] = {{"describe", describe}, {"check", check}};

static int run(int argc, char **argv)
{
    tpi_nearest nearest;
    char hint[96];

    if (argc == 0) {
        return command_fail(name, EXIT_USAGE, "describe or check?");
    }
    tpi_nearest_init(&nearest, argv[0]);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(argv[0], parts[i].name) == 0) {
            return parts[i].run(argc - 1, argv + 1);
        }
        tpi_nearest_offer(&nearest, parts[i].name);
    }
    return command_fail(name, EXIT_USAGE, "there is no \"%s\"%s", argv[0],
                        tpi_nearest_hint(&nearest, hint, sizeof hint));
}

const command command_motion = {
    .name = name,
    .summary = "describe mechanisms: links, joints, limits",
    .help =
        "usage: troupe motion describe FILE.urdf [--json]   print a robot's description\n"
        "       troupe motion check PATH...                 read descriptions, one line each\n"
        "\n"
        "Reads descriptions of robots (URDF). describe prints the tree of joints and links, the\n"
        "limits and servo commands of every dof, the control frames, and warnings with their "
        "lines.\n"
        "check reads files, and all .urdf files of folders; it fails if one of them has an error.\n"
        "\n"
        "  --json   print everything as JSON, in MKS units\n"
        "\n"
        "Example: troupe motion describe robots/puma560.urdf\n",
    .run = run,
};
