/* catalogue.c - the interfaces that a program knows: built in, loaded from files, and added. */
#include "padi/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "padi/names.h"
#include "padi/parse.h"

enum { LARGEST_FILE = 4 << 20, LARGEST_TEXT = 256 << 10, DEEPEST_USE = 16 };

struct loaded {
    struct loaded *next; /* owned */
    tpi_padi padi;
};

struct tp_catalogue {
    const tp_interface **interfaces; /* owned array, ordered by code */
    size_t count;
    size_t capacity;
    struct loaded *loaded; /* owned, newest first: a file is freed before those it uses */
};

/* ---- Look-ups -------------------------------------------------------------------------------- */

size_t tp_catalogue_size(const tp_catalogue *catalogue)
{
    return catalogue->count;
}

const tp_interface *tp_catalogue_at(const tp_catalogue *catalogue, size_t i)
{
    return i < catalogue->count ? catalogue->interfaces[i] : NULL;
}

/* The first place whose code is not below `code`. */
static size_t place_of(const tp_catalogue *catalogue, unsigned code)
{
    size_t low = 0;
    size_t high = catalogue->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (catalogue->interfaces[middle]->code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const tp_interface *tp_catalogue_code(const tp_catalogue *catalogue, unsigned code)
{
    size_t i = place_of(catalogue, code);

    return i < catalogue->count && catalogue->interfaces[i]->code == code ? catalogue->interfaces[i]
                                                                          : NULL;
}

const tp_interface *tp_catalogue_named(const tp_catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        if (tpi_names_equal(catalogue->interfaces[i]->name, name)) {
            return catalogue->interfaces[i];
        }
    }
    return NULL;
}

static bool is_struct_name(const char *name, const char *ours)
{
    const size_t length = strlen(ours);

    if (strcmp(name, ours) == 0) {
        return true;
    }
    return strncmp(name, "player_", 7) == 0 && strncmp(name + 7, ours, length) == 0 &&
           strcmp(name + 7 + length, "_t") == 0;
}

const tp_struct *tp_catalogue_struct(const tp_catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const tp_interface *interface = catalogue->interfaces[i];
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            if (is_struct_name(name, interface->structs[k]->name)) {
                return interface->structs[k];
            }
        }
    }
    return NULL;
}

const tp_message *tp_catalogue_message(const tp_catalogue *catalogue, unsigned interface,
                                       tp_kind kind, unsigned code)
{
    const tp_interface *own = tp_catalogue_code(catalogue, interface);
    const tp_interface *common = tp_catalogue_code(catalogue, 0);
    const tp_message *message = own == NULL ? NULL : tp_interface_message(own, kind, code);

    if (message == NULL && own != NULL && common != NULL) {
        message = tp_interface_message(common, kind, code);
    }
    return message;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* The interface that has a struct or enum of this name: in C they share one name space. */
static const tp_interface *type_owner(const tp_catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const tp_interface *interface = catalogue->interfaces[i];
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            if (strcmp(interface->structs[k]->name, name) == 0) {
                return interface;
            }
        }
        for (uint32_t k = 0; k < interface->enum_count; k++) {
            if (strcmp(interface->enums[k]->name, name) == 0) {
                return interface;
            }
        }
    }
    return NULL;
}

static tp_status check_types(const tp_catalogue *catalogue, const tp_interface *interface,
                             tp_error *err)
{
    for (uint32_t i = 0; i < interface->struct_count + interface->enum_count; i++) {
        const char *name = i < interface->struct_count
                               ? interface->structs[i]->name
                               : interface->enums[i - interface->struct_count]->name;
        const tp_interface *owner = type_owner(catalogue, name);
        if (owner != NULL) {
            return tp_fail(err, TP_E_EXISTS, "interface %s has a type %s, which is %s's",
                           interface->name, name, owner->name);
        }
    }
    return TP_OK;
}

static tp_status check_distinct(const tp_catalogue *catalogue, const tp_interface *interface,
                                tp_error *err)
{
    const tp_interface *same = tp_catalogue_code(catalogue, interface->code);

    if (tp_catalogue_named(catalogue, interface->name) != NULL) {
        return tp_fail(err, TP_E_EXISTS, "there is an interface %s already", interface->name);
    }
    if (same != NULL) {
        return tp_fail(err, TP_E_EXISTS, "interface %s has the code %u of %s", interface->name,
                       interface->code, same->name);
    }
    return check_types(catalogue, interface, err);
}

static tp_status add(tp_catalogue *catalogue, const tp_interface *interface, tp_error *err)
{
    if (catalogue->count == catalogue->capacity) {
        size_t capacity = catalogue->capacity * 2 + 64;
        const tp_interface **interfaces =
            realloc(catalogue->interfaces, capacity * sizeof(const tp_interface *));
        if (interfaces == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        catalogue->interfaces = interfaces;
        catalogue->capacity = capacity;
    }
    size_t at = place_of(catalogue, interface->code);
    memmove(&catalogue->interfaces[at + 1], &catalogue->interfaces[at],
            (catalogue->count - at) * sizeof(const tp_interface *));
    catalogue->interfaces[at] = interface;
    catalogue->count++;
    return TP_OK;
}

static void unload_newest(tp_catalogue *catalogue)
{
    struct loaded *newest = catalogue->loaded;
    size_t at = place_of(catalogue, newest->padi.interface.code);

    if (at < catalogue->count && catalogue->interfaces[at] == &newest->padi.interface) {
        memmove(&catalogue->interfaces[at], &catalogue->interfaces[at + 1],
                (catalogue->count - at - 1) * sizeof(const tp_interface *));
        catalogue->count--;
    }
    catalogue->loaded = newest->next;
    tpi_padi_fini(&newest->padi);
    free(newest);
}

/* Where `use` looks: the catalogue, then the folder of the file. */
struct search {
    tp_catalogue *catalogue;
    const char *path;
    unsigned depth;
};

static tp_status load(tp_catalogue *catalogue, const char *path, unsigned depth, tp_error *err);

static const tp_interface *find_used(void *context, const char *name, tp_error *err)
{
    const struct search *search = context;
    const tp_interface *known = tp_catalogue_named(search->catalogue, name);
    if (known != NULL) {
        return known;
    }
    if (search->depth == DEEPEST_USE) {
        tp_fail(err, TP_E_LIMIT, "use is nested more than %d deep, or in a circle", DEEPEST_USE);
        return NULL;
    }
    const char *slash = strrchr(search->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - search->path + 1);
    tpi_buf path = {0};
    tpi_buf_printf(&path, "%.*s%s.padi", folder, search->path, name);
    tp_status status = path.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                   : load(search->catalogue, path.data, search->depth + 1, err);
    tpi_buf_fini(&path);
    if (status != TP_OK) {
        return NULL;
    }
    return tp_catalogue_named(search->catalogue, name);
}

/* Checks, then adds. */
static tp_status add_distinct(tp_catalogue *catalogue, const tp_interface *interface, tp_error *err)
{
    const tp_status status = check_distinct(catalogue, interface, err);

    return status == TP_OK ? add(catalogue, interface, err) : status;
}

/* Takes what was parsed, or fails. */
static tp_status keep(tp_catalogue *catalogue, tpi_padi *padi, const char *path, tp_error *err)
{
    struct loaded *loaded = malloc(sizeof *loaded);

    if (loaded == NULL) {
        tpi_padi_fini(padi);
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    *loaded = (struct loaded){catalogue->loaded, *padi};
    catalogue->loaded = loaded;
    const tp_status status = add_distinct(catalogue, &loaded->padi.interface, err);
    return status == TP_OK ? TP_OK : tp_wrap(err, status, path);
}

static tp_status parse_loaded(tp_catalogue *catalogue, const char *path, unsigned depth,
                              tp_error *err)
{
    struct search search = {catalogue, path, depth};
    const tpi_padi_scope scope = {.find = find_used, .context = &search};
    tpi_buf text = {0};
    tpi_padi padi = {0};

    tp_status status = tpi_file_read(&text, path, LARGEST_FILE, err);
    if (status == TP_OK) {
        status = tpi_padi_parse(&padi, path, tpi_buf_text(&text), text.length, &scope, err);
    }
    tpi_buf_fini(&text);
    return status == TP_OK ? keep(catalogue, &padi, path, err) : status;
}

static tp_status load(tp_catalogue *catalogue, const char *path, unsigned depth, tp_error *err)
{
    const struct loaded *before = catalogue->loaded;
    tp_status status = parse_loaded(catalogue, path, depth, err);

    while (status != TP_OK && catalogue->loaded != before) {
        unload_newest(catalogue);
    }
    return status;
}

tp_status tp_catalogue_load(tp_catalogue *catalogue, const char *path, tp_error *err)
{
    return load(catalogue, path, 0, err);
}

static const tp_interface *find_known(void *context, const char *name, tp_error *err)
{
    const tp_interface *known = tp_catalogue_named(context, name);

    if (known == NULL) {
        tp_fail(err, TP_E_UNKNOWN, "there is no interface \"%s\"", name);
    }
    return known;
}

tp_status tp_catalogue_load_text(tp_catalogue *catalogue, const char *name, const char *text,
                                 size_t length, tp_error *err)
{
    const tpi_padi_scope scope = {.find = find_known, .context = catalogue};
    const struct loaded *before = catalogue->loaded;
    tpi_padi padi = {0};

    if (length > LARGEST_TEXT) {
        return tp_fail(err, TP_E_LIMIT, "%s: it is longer than %d bytes", name, LARGEST_TEXT);
    }
    tp_status status = tpi_padi_parse(&padi, name, text, length, &scope, err);
    status = status == TP_OK ? keep(catalogue, &padi, name, err) : status;
    if (status != TP_OK && catalogue->loaded != before) {
        unload_newest(catalogue);
    }
    return status;
}

bool tp_interface_is_builtin(const tp_interface *interface)
{
    size_t i = 0;

    while (tpi_builtin_interfaces[i] != NULL && tpi_builtin_interfaces[i] != interface) {
        i++;
    }
    return tpi_builtin_interfaces[i] != NULL;
}

tp_status tp_catalogue_add(tp_catalogue *catalogue, const tp_interface *interface, tp_error *err)
{
    return interface->code < 200
               ? tp_fail(err, TP_E_INVALID,
                         "interface %s has a code below 200, which is not its own", interface->name)
               : add_distinct(catalogue, interface, err);
}

tp_status tp_catalogue_create(tp_catalogue **out, tp_error *err)
{
    tp_catalogue *catalogue = calloc(1, sizeof *catalogue);
    tp_status status = TP_OK;

    if (catalogue == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; tpi_builtin_interfaces[i] != NULL && status == TP_OK; i++) {
        status = add(catalogue, tpi_builtin_interfaces[i], err);
    }
    if (status != TP_OK) {
        tp_catalogue_destroy(catalogue);
        return status;
    }
    *out = catalogue;
    return TP_OK;
}

void tp_catalogue_destroy(tp_catalogue *catalogue)
{
    if (catalogue == NULL) {
        return;
    }
    while (catalogue->loaded != NULL) {
        unload_newest(catalogue);
    }
    free(catalogue->interfaces);
    free(catalogue);
}
