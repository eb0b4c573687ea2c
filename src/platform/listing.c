/* listing.c - the files of a folder; see listing.h. */
#include "platform/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_entry(int folder, const char *name, tpi_listed *out)
{
    struct stat about;

    if (name[0] == '.' || strlen(name) >= sizeof out->name ||
        fstatat(folder, name, &about, 0) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    memcpy(out->name, name, strlen(name) + 1);
    out->size = about.st_size;
    out->modified_ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    return true;
}

static bool is_before(const tpi_listed *a, const tpi_listed *b)
{
    return a->modified_ns != b->modified_ns ? a->modified_ns > b->modified_ns
                                            : strcmp(a->name, b->name) < 0;
}

/* Into its place; the oldest goes if there is no room. */
static size_t insert(tpi_listed *out, size_t count, size_t most, const tpi_listed *file)
{
    size_t at = count;

    while (at > 0 && is_before(file, &out[at - 1])) {
        at--;
    }
    if (at == most) {
        return count;
    }
    const size_t after = (count < most ? count : most - 1) - at;
    memmove(&out[at + 1], &out[at], after * sizeof *out);
    out[at] = *file;
    return count < most ? count + 1 : most;
}

size_t tpi_listing_read(const char *folder, tpi_listing_wanted *wanted, tpi_listed *out,
                        size_t most)
{
    DIR *listing = opendir(folder[0] == '\0' ? "." : folder);
    const struct dirent *entry;
    tpi_listed file;
    size_t count = 0;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        if (wanted(entry->d_name) && read_entry(dirfd(listing), entry->d_name, &file)) {
            count = insert(out, count, most, &file);
        }
    }
    if (listing != NULL) {
        (void)closedir(listing);
    }
    return count;
}
