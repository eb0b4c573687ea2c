/*
 * nxt_disk.c - the files of an NXT: system commands 80 to 89 and A0.
 *
 * Files lie one behind the other in the flash; deleting one closes the gap. A handle is an open
 * file or a search.
 */
#include <string.h>

#include "emulate/nxt.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static uint32_t find_file(const struct nxt_disk *disk, const uint8_t *name)
{
    uint32_t i = 0;

    while (i < disk->count && strncmp(disk->files[i].name, (const char *)name, NXT_NAME) != 0) {
        i++;
    }
    return i;
}

bool tpi_nxt_file_exists(const struct nxt *nxt, const uint8_t name[NXT_NAME])
{
    return find_file(&nxt->disk, name) < nxt->disk.count;
}

static void delete_file(struct nxt_disk *disk, uint32_t index)
{
    const struct nxt_file gone = disk->files[index];

    memmove(disk->flash + gone.begin, disk->flash + gone.begin + gone.size,
            disk->used - gone.begin - gone.size);
    disk->used -= gone.size;
    disk->count--;
    memmove(&disk->files[index], &disk->files[index + 1],
            (disk->count - index) * sizeof disk->files[0]);
    for (uint32_t i = index; i < disk->count; i++) {
        disk->files[i].begin -= gone.size;
    }
    for (unsigned i = 0; i < NXT_HANDLES; i++) {
        struct nxt_handle *handle = &disk->handles[i];
        if (handle->use != NXT_CLOSED && handle->use != NXT_SEARCHES && handle->file == index) {
            handle->use = NXT_CLOSED;
        } else if (handle->use != NXT_CLOSED && handle->file > index) {
            handle->file--;
        }
    }
}

/* ---- Handles --------------------------------------------------------------------------------- */

static struct nxt_handle *take_handle(struct nxt_disk *disk, uint8_t *number)
{
    for (unsigned i = 0; i < NXT_HANDLES; i++) {
        if (disk->handles[i].use == NXT_CLOSED) {
            *number = (uint8_t)i;
            disk->handles[i] = (struct nxt_handle){0};
            return &disk->handles[i];
        }
    }
    return NULL;
}

/* NULL if it is not open for this. */
static struct nxt_handle *handle_for(struct nxt_disk *disk, uint8_t number, int use)
{
    return number < NXT_HANDLES && (int)disk->handles[number].use == use ? &disk->handles[number]
                                                                         : NULL;
}

/* Names end before the last byte, which is NUL. */
static bool is_name(const uint8_t *name)
{
    return name[0] != '\0' && name[NXT_NAME - 1] == '\0';
}

static uint8_t open_for_writing(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    const uint32_t size = tpi_get_le32(call->data + NXT_NAME);

    call->reply_length = 1;
    if (!is_name(call->data)) {
        return NXT_ILLEGAL_NAME;
    }
    if (find_file(disk, call->data) < disk->count) {
        return NXT_EXISTS;
    }
    if (disk->count == NXT_FILES || size > NXT_FLASH - disk->used) {
        return NXT_NO_SPACE;
    }
    struct nxt_handle *handle = take_handle(disk, &call->reply[0]);
    if (handle == NULL) {
        return NXT_NO_HANDLES;
    }
    struct nxt_file *file = &disk->files[disk->count];
    memcpy(file->name, call->data, NXT_NAME);
    file->begin = disk->used;
    file->size = size;
    memset(disk->flash + file->begin, 0, size);
    handle->use = NXT_WRITES;
    handle->file = disk->count++;
    disk->used += size;
    return NXT_OK;
}

static uint8_t open_for_reading(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    const uint32_t index = find_file(disk, call->data);

    call->reply_length = 5;
    if (index == disk->count) {
        return NXT_NOT_FOUND;
    }
    struct nxt_handle *handle = take_handle(disk, &call->reply[0]);
    if (handle == NULL) {
        return NXT_NO_HANDLES;
    }
    handle->use = NXT_READS;
    handle->file = index;
    tpi_put_le32(call->reply + 1, disk->files[index].size);
    return NXT_OK;
}

/* Cut a length to what is left of a file; the status. */
static uint8_t cut(const struct nxt_file *file, const struct nxt_handle *handle, size_t *length)
{
    const size_t left = file->size - handle->at;
    const uint8_t status = *length > left ? NXT_EOF : NXT_OK;

    *length = *length < left ? *length : left;
    return status;
}

static uint8_t read_file(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    struct nxt_handle *handle = handle_for(disk, call->data[0], NXT_READS);
    const size_t room = NXT_REPLY - 3;
    size_t length = tpi_get_le16(call->data + 1);

    call->reply_length = 3;
    call->reply[0] = call->data[0];
    if (handle == NULL) {
        return NXT_ILLEGAL_HANDLE;
    }
    const struct nxt_file *file = &disk->files[handle->file];
    const uint8_t status = cut(file, handle, &length);
    length = length < room ? length : room;
    tpi_put_le16(call->reply + 1, (uint32_t)length);
    memcpy(call->reply + 3, disk->flash + file->begin + handle->at, length);
    handle->at += (uint32_t)length;
    call->reply_length += length;
    return status;
}

static uint8_t write_file(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    struct nxt_handle *handle = handle_for(disk, call->data[0], NXT_WRITES);
    size_t length = call->length - 1;

    call->reply_length = 3;
    call->reply[0] = call->data[0];
    if (handle == NULL) {
        return NXT_ILLEGAL_HANDLE;
    }
    const struct nxt_file *file = &disk->files[handle->file];
    const uint8_t status = cut(file, handle, &length);
    memcpy(disk->flash + file->begin + handle->at, call->data + 1, length);
    handle->at += (uint32_t)length;
    tpi_put_le16(call->reply + 1, (uint32_t)length);
    return status;
}

static uint8_t close_file(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    const uint8_t number = call->data[0];

    call->reply_length = 1;
    call->reply[0] = number;
    if (number >= NXT_HANDLES || disk->handles[number].use == NXT_CLOSED) {
        return NXT_ILLEGAL_HANDLE;
    }
    disk->handles[number].use = NXT_CLOSED;
    return NXT_OK;
}

static uint8_t delete_named(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    const uint32_t index = find_file(disk, call->data);

    call->reply_length = NXT_NAME;
    memcpy(call->reply, call->data, NXT_NAME);
    if (index == disk->count) {
        return NXT_NOT_FOUND;
    }
    delete_file(disk, index);
    return NXT_OK;
}

static uint8_t delete_all(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;

    (void)call;
    while (disk->count > 0) {
        delete_file(disk, disk->count - 1);
    }
    return NXT_OK;
}

/* ---- Searches -------------------------------------------------------------------------------- */

/* Name and extension of a pattern are exact, or a star. */
static bool fits(const char *pattern, const char *name)
{
    const size_t pattern_dot = strcspn(pattern, ".");
    const size_t name_dot = strcspn(name, ".");
    const bool any_name = pattern_dot == 1 && pattern[0] == '*';
    const char *extension = pattern + pattern_dot;

    if (!any_name && (pattern_dot != name_dot || memcmp(pattern, name, name_dot) != 0)) {
        return false;
    }
    return strcmp(extension, ".*") == 0 || strcmp(extension, name + name_dot) == 0;
}

/* The next file that fits, as the data of a reply behind its handle. */
static uint8_t search_on(struct nxt_disk *disk, struct nxt_handle *handle, struct nxt_call *call)
{
    for (; handle->file < disk->count; handle->file++) {
        const struct nxt_file *file = &disk->files[handle->file];
        if (fits(handle->pattern, file->name)) {
            memcpy(call->reply + 1, file->name, NXT_NAME);
            tpi_put_le32(call->reply + 1 + NXT_NAME, file->size);
            handle->file++;
            return NXT_OK;
        }
    }
    return NXT_NOT_FOUND;
}

static uint8_t find_first(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    struct nxt_handle *handle = take_handle(disk, &call->reply[0]);

    call->reply_length = 1 + NXT_NAME + 4;
    if (handle == NULL) {
        return NXT_NO_HANDLES;
    }
    memcpy(handle->pattern, call->data, NXT_NAME - 1);
    const uint8_t status = search_on(disk, handle, call);
    handle->use = status == NXT_OK ? NXT_SEARCHES : NXT_CLOSED;
    return status;
}

static uint8_t find_next(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt_disk *disk = &nxt_of(emu)->disk;
    struct nxt_handle *handle = handle_for(disk, call->data[0], NXT_SEARCHES);

    call->reply_length = 1 + NXT_NAME + 4;
    call->reply[0] = call->data[0];
    return handle == NULL ? NXT_ILLEGAL_HANDLE : search_on(disk, handle, call);
}

const struct nxt_command tpi_nxt_disk_commands[] = {
    {0x80, "OPENREAD", NXT_NAME, open_for_reading},
    {0x81, "OPENWRITE", NXT_NAME + 4, open_for_writing},
    {0x82, "READ", 3, read_file},
    {0x83, "WRITE", 1, write_file},
    {0x84, "CLOSE", 1, close_file},
    {0x85, "DELETE", NXT_NAME, delete_named},
    {0x86, "FINDFIRST", NXT_NAME, find_first},
    {0x87, "FINDNEXT", 1, find_next},
    {0x89, "OPENWRITELINEAR", NXT_NAME + 4, open_for_writing},
    {0x8b, "OPENWRITEDATA", NXT_NAME + 4, open_for_writing},
    {0xa0, "DELETEUSERFLASH", 0, delete_all},
    {0},
};
