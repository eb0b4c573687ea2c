/* manifest_read.c - reads and checks a manifest; see manifest.h. */
#include <stdlib.h>
#include <string.h>

#include "sensors/manifest_inside.h"

/* ---- Identity -------------------------------------------------------------------------------- */

static tp_status read_hardware(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const names[] = {"num_chans", "timeout", NULL};
    double number = 0;
    tp_status status = element == NULL ? TP_OK : tpi_manifest_only(r, element, names, NULL);

    if (status == TP_OK) {
        status = tpi_manifest_number(r, element, "num_chans", 1, TPI_MOST_CHANNELS, 0, &number);
    }
    r->manifest->num_chans = (unsigned)number;
    if (status == TP_OK) {
        status =
            tpi_manifest_number(r, element, "timeout", 1, 600000, 1000, &r->manifest->timeout_ms);
    }
    return status;
}

/* Companies add what they want here: a name, and a text. */
static tp_status read_manufacturer(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const own[] = {"name", "serial_no", "documentation", "home_page", NULL};
    tpi_manifest *m = r->manifest;
    unsigned count = 0;

    m->maker = tpi_manifest_child_text(r, element, "name");
    m->serial_no = tpi_manifest_child_text(r, element, "serial_no");
    m->maker_documentation = tpi_manifest_child_text(r, element, "documentation");
    m->home_page = tpi_manifest_child_text(r, element, "home_page");
    for (const tpi_element *at = element == NULL ? NULL : element->first; at != NULL;
         at = at->next) {
        count++;
    }
    tpi_manifest_extra *extras = tpi_arena_array(&r->document->arena, count + 1, sizeof *extras);
    if (m->maker == NULL || m->serial_no == NULL || m->maker_documentation == NULL ||
        m->home_page == NULL || extras == NULL) {
        return tpi_document_no_memory(r->document);
    }
    m->extras = extras;
    for (const tpi_element *at = element == NULL ? NULL : element->first; at != NULL;
         at = at->next) {
        if (tpi_manifest_word(own, at->name) < 0) {
            extras[m->extra_count].name = at->name;
            extras[m->extra_count].text = tpi_manifest_text(r, at);
            if (extras[m->extra_count++].text == NULL) {
                return TP_E_NOMEM;
            }
        }
    }
    return TP_OK;
}

/* It is a part of names, of commands and of file names. */
static tp_status check_uuid(struct manifest_reading *r, const tpi_element *identity)
{
    enum { LONGEST = 64 };
    const tpi_element *at = tpi_manifest_child(identity, "uuid");
    const char *uuid = r->manifest->uuid;
    const size_t length = strlen(uuid);

    if (length == 0) {
        return tpi_element_fail(r->document, at != NULL ? at : identity,
                                "the uuid is missing; add <uuid>COMPANY.PRODUCT.1</uuid>");
    }
    if (length > LONGEST || uuid[strcspn(uuid, " \t\r\n/\"<>,;")] != '\0') {
        return tpi_element_fail(r->document, at,
                                "\"%.30s\": a uuid has at most 64 letters, digits, dots and "
                                "dashes; shorten it",
                                uuid);
    }
    return TP_OK;
}

static tp_status read_identity(struct manifest_reading *r, const tpi_element *identity)
{
    static const char *const names[] = {"name",     "uuid",         "version", "info_uri",
                                        "hardware", "manufacturer", NULL};
    tpi_manifest *m = r->manifest;
    tp_status status = tpi_manifest_only(r, identity, names, NULL);

    m->name = tpi_manifest_child_text(r, identity, "name");
    m->uuid = tpi_manifest_child_text(r, identity, "uuid");
    m->version = tpi_manifest_child_text(r, identity, "version");
    m->info_uri = tpi_manifest_child_text(r, identity, "info_uri");
    if (m->name == NULL || m->uuid == NULL || m->version == NULL || m->info_uri == NULL) {
        return TP_E_NOMEM;
    }
    if (tpi_document_goes_on(r->document, status)) {
        status = check_uuid(r, identity);
    }
    if (tpi_document_goes_on(r->document, status)) {
        status = read_hardware(r, tpi_manifest_child(identity, "hardware"));
    }
    if (tpi_document_goes_on(r->document, status)) {
        status = read_manufacturer(r, tpi_manifest_child(identity, "manufacturer"));
    }
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}

/* ---- Data logging ---------------------------------------------------------------------------- */

static tp_status read_logging_modes(struct manifest_reading *r, const tpi_element *modes)
{
    static const char *const names[] = {"commands", "options", NULL};
    tpi_manifest *m = r->manifest;

    m->log_commands = tpi_manifest_child_text(r, modes, "commands");
    m->log_options = tpi_manifest_child_text(r, modes, "options");
    if (m->log_commands == NULL || m->log_options == NULL) {
        return TP_E_NOMEM;
    }
    return modes == NULL ? TP_OK : tpi_manifest_only(r, modes, names, NULL);
}

static tp_status read_logging(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const names[] = {"max_datasize", "time_source", "modes", NULL};
    static const char *const sources[] = {"device", "host", NULL};
    tpi_manifest *m = r->manifest;
    double size = 0;
    int source = 0;
    tp_status status = element == NULL ? TP_OK : tpi_manifest_only(r, element, names, NULL);

    m->has_datalogging = element != NULL;
    if (status == TP_OK) {
        status = tpi_manifest_number(r, element, "max_datasize", 8, 1 << 24, 0, &size);
    }
    if (status == TP_OK) {
        status = tpi_manifest_choice(r, element, "time_source", sources, 0, &source);
    }
    m->max_datasize = (unsigned)size;
    m->time_source = sources[source < 0 ? 0 : source];
    if (tpi_document_goes_on(r->document, status)) {
        status =
            read_logging_modes(r, element == NULL ? NULL : tpi_manifest_child(element, "modes"));
    }
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static tp_status check_count(struct manifest_reading *r, const tpi_element *root)
{
    const tpi_manifest *m = r->manifest;

    if (m->num_chans != 0 && m->num_chans != m->transducer_count) {
        const tpi_element *hardware =
            tpi_manifest_child(tpi_manifest_child(root, "identity"), "hardware");
        return tpi_element_fail(r->document, hardware,
                                "num_chans is %u, but there are %u transducers; write %u",
                                m->num_chans, m->transducer_count, m->transducer_count);
    }
    return TP_OK;
}

static tp_status missing(struct manifest_reading *r, const tpi_element *root, const char *name)
{
    return tpi_element_fail(r->document, root, "<%s> is missing; a sensor has it", name);
}

static tp_status read_root(struct manifest_reading *r, const tpi_element *root)
{
    static const char *const names[] = {"identity", "transducers", "datalogging", "defaults", NULL};
    static const char *const attributes[] = {"lang", NULL};
    const tpi_element *identity = tpi_manifest_child(root, "identity");
    const tpi_element *transducers = tpi_manifest_child(root, "transducers");
    const tpi_element *defaults = tpi_manifest_child(root, "defaults");

    if (strcmp(root->name, "sensor") != 0) {
        return tpi_element_fail(r->document, root, "a manifest begins with <sensor>");
    }
    tp_status status = tpi_manifest_only(r, root, names, NULL);
    if (tpi_document_goes_on(r->document, status)) {
        status = tpi_element_only(r->document, root, attributes);
    }
    r->manifest->lang = tpi_element_get(root, "lang");
    r->manifest->lang = r->manifest->lang == NULL ? "English" : r->manifest->lang;
    if (tpi_document_goes_on(r->document, status)) {
        status = identity != NULL ? read_identity(r, identity) : missing(r, root, "identity");
    }
    if (tpi_document_goes_on(r->document, status)) {
        status = transducers != NULL ? tpi_manifest_transducers(r, transducers)
                                     : missing(r, root, "transducers");
    }
    if (tpi_document_goes_on(r->document, status)) {
        status = read_logging(r, tpi_manifest_child(root, "datalogging"));
    }
    if (tpi_document_goes_on(r->document, status) && defaults != NULL && transducers != NULL) {
        status = tpi_manifest_defaults(r, defaults);
    }
    return tpi_document_goes_on(r->document, status) && identity != NULL ? check_count(r, root)
                                                                         : status;
}

static tp_status read_document(tpi_document *document, tpi_manifest *manifest, const char *text,
                               size_t length, const char *path, tp_error *err)
{
    struct manifest_reading r = {.document = document, .manifest = manifest};
    tp_status status;

    document->path = path;
    document->err = err;
    if (length > TPI_MOST_MANIFEST) {
        return tp_fail(err, TP_E_LIMIT, "%s:1: the manifest has over 64 KB", path);
    }
    status = tpi_document_read(document, text, length, path, err);
    if (status == TP_E_INVALID) { /* the words of expat are for programmers */
        (void)tpi_manifest_explain(document, text, length);
        return status;
    }
    return status == TP_OK ? read_root(&r, document->root) : status;
}

tp_status tpi_manifest_read(tpi_manifest **out, const char *text, size_t length, const char *path,
                            tpi_mistakes *mistakes, tp_error *err)
{
    tpi_manifest *manifest = calloc(1, sizeof *manifest);
    tpi_document document = {.mistakes = mistakes};
    tp_error own = {0};

    *out = NULL;
    if (manifest == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status =
        read_document(&document, manifest, text, length, path, err != NULL ? err : &own);
    if (status == TP_OK && mistakes != NULL && mistakes->count > 0) {
        status = TP_E_INVALID;
    }
    manifest->arena = document.arena; /* all texts and arrays are in it */
    if (status != TP_OK) {
        tpi_manifest_destroy(manifest);
        return status;
    }
    *out = manifest;
    return TP_OK;
}

void tpi_manifest_destroy(tpi_manifest *manifest)
{
    if (manifest != NULL) {
        tpi_arena_fini(&manifest->arena);
        free(manifest);
    }
}
