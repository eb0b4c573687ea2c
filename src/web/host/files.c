/* files.c - see files.h. */
#include "web/host/files.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "platform/folder.h"

enum { MOST_FILES = 512, MOST_BYTES = 8 << 20, MOST_DEPTH = 4, MOST_PATH = 4096 };

/* ---- One file -------------------------------------------------------------------------------- */

static const char *type_of(const char *name)
{
    static const struct {
        const char *ending;
        const char *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".gif", "image/gif"},
        {".ico", "image/x-icon"},
        {".cur", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".mp3", "audio/mpeg"},
        {".ogg", "audio/ogg"},
        {".wav", "audio/wav"},
        {".wasm", "application/wasm"},
        {".txt", "text/plain; charset=utf-8"},
        {".webmanifest", "application/manifest+json"},
    };
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t ending = strlen(types[i].ending);
        if (length > ending && strcmp(name + length - ending, types[i].ending) == 0) {
            return types[i].type;
        }
    }
    return NULL;
}

static bool is_packed_already(const char *type)
{
    return strncmp(type, "image/p", 7) == 0 || strncmp(type, "image/g", 7) == 0 ||
           strncmp(type, "audio/", 6) == 0 || strncmp(type, "font/", 5) == 0;
}

/* A file that is being gzipped. */
struct tpi_web_packing {
    z_stream stream;
};

static bool is_worth_it(const tpi_web_file *file)
{
    return file->bytes.length >= 256 && !is_packed_already(file->type);
}

/* False if it stays as it is. */
static bool begin_packing(tpi_web_file *file)
{
    struct tpi_web_packing *p = calloc(1, sizeof *p);
    const size_t room = file->bytes.length;

    if (p == NULL || tpi_buf_reserve(&file->packed, room) == NULL ||
        deflateInit2(&p->stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return false;
    }
    p->stream.next_in = (unsigned char *)file->bytes.data;
    p->stream.next_out = (unsigned char *)file->packed.data;
    p->stream.avail_out = (unsigned)room;
    file->packing = p;
    return true;
}

static void end_packing(tpi_web_file *file)
{
    if (file->packing != NULL) {
        deflateEnd(&file->packing->stream);
        free(file->packing);
        file->packing = NULL;
    }
}

static void put_tag(tpi_web_file *file)
{
    uint64_t hash = 1469598103934665603u;

    for (size_t i = 0; i < file->bytes.length; i++) {
        hash = (hash ^ (unsigned char)file->bytes.data[i]) * 1099511628211u;
    }
    snprintf(file->tag, sizeof file->tag, "%016llx", (unsigned long long)hash);
}

static void finish(tpi_web_file *file)
{
    end_packing(file);
    if (file->packed.length == 0) {
        tpi_buf_fini(&file->packed);
    }
    put_tag(file);
    file->ready = true;
}

/* What does not fit is not shorter than the file. */
bool tpi_web_file_prepare(tpi_web_file *file, size_t most)
{
    if (file->ready) {
        return true;
    }
    if (file->packing == NULL && (!is_worth_it(file) || !begin_packing(file))) {
        finish(file);
        return true;
    }
    z_stream *stream = &file->packing->stream;
    const size_t left = file->bytes.length - (size_t)stream->total_in;
    stream->avail_in = (unsigned)(left < most ? left : most);
    const int result = deflate(stream, left <= most ? Z_FINISH : Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
        file->packed.length = file->bytes.length - stream->avail_out;
    }
    if (result != Z_OK || stream->avail_out == 0 || left <= most) {
        finish(file);
    }
    return file->ready;
}

/* ---- The folder ------------------------------------------------------------------------------ */

struct reading {
    tpi_web_files *files;
    const char *root;
    size_t bytes;
    tp_error *err;
};

/* As strdup(). */
static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *made = malloc(size);

    return made != NULL ? memcpy(made, text, size) : NULL;
}

static tp_status add_file(struct reading *r, const char *name)
{
    char path[MOST_PATH];
    tpi_web_files *files = r->files;

    if (type_of(name) == NULL) {
        return TP_OK; /* nothing that a browser is to have */
    }
    if (files->count == MOST_FILES) {
        return tp_fail(r->err, TP_E_LIMIT, "%s has more than %d files", r->root, MOST_FILES);
    }
    tpi_web_file *grown = realloc(files->files, (files->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return tp_fail(r->err, TP_E_NOMEM, "out of memory");
    }
    files->files = grown;
    tpi_web_file *file = &grown[files->count++];
    *file = (tpi_web_file){.name = copy(name), .type = type_of(name)};
    if (file->name == NULL || snprintf(path, sizeof path, "%s%s", r->root, name) >= MOST_PATH) {
        return tp_fail(r->err, TP_E_NOMEM, "out of memory");
    }
    const tp_status status = tpi_file_read(&file->bytes, path, MOST_BYTES - r->bytes, r->err);
    if (status == TP_OK) {
        r->bytes += file->bytes.length;
    }
    return status;
}

static tp_status add_folder(struct reading *r, const char *name, unsigned depth)
{
    char path[MOST_PATH];
    char inner[MOST_PATH];
    struct dirent *entry;
    tp_status status = TP_OK;

    snprintf(path, sizeof path, "%s%s", r->root, name);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return tp_fail(r->err, TP_E_IO, "cannot read the folder %s", path);
    }
    while (status == TP_OK && (entry = readdir(folder)) != NULL) {
        const bool fits =
            snprintf(inner, sizeof inner, "%s/%s", name, entry->d_name) < (int)sizeof inner;
        if (entry->d_name[0] == '.' || !fits) {
            continue;
        }
        snprintf(path, sizeof path, "%s%s", r->root, inner);
        if (!tpi_folder_exists(path)) {
            status = add_file(r, inner);
        } else if (depth < MOST_DEPTH) {
            status = add_folder(r, inner, depth + 1);
        }
    }
    closedir(folder);
    return status;
}

tp_status tpi_web_files_init(tpi_web_files *files, const char *folder, tp_error *err)
{
    char own[MOST_PATH];
    struct reading reading = {.files = files, .root = folder, .err = err};

    *files = (tpi_web_files){.count = 0};
    for (size_t i = 0; reading.root == NULL && tpi_folder_own("web/dist", own, sizeof own, i);
         i++) {
        reading.root = tpi_folder_exists(own) ? own : NULL;
    }
    return reading.root == NULL ? TP_OK : add_folder(&reading, "", 0);
}

void tpi_web_files_fini(tpi_web_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->files[i].name);
        tpi_buf_fini(&files->files[i].bytes);
        end_packing(&files->files[i]);
        tpi_buf_fini(&files->files[i].packed);
    }
    free(files->files);
    *files = (tpi_web_files){.count = 0};
}

tpi_web_file *tpi_web_files_find(const tpi_web_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].name, strcmp(name, "/") == 0 ? "/index.html" : name) == 0) {
            return &files->files[i];
        }
    }
    return NULL;
}
