/* replay.c - runs a fuzz target on the files of its corpus, where there is no libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    /* as long as the file, not longer, so that the sanitizer sees every byte too many */
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    uint8_t *data = malloc(length > 0 ? (size_t)length : 1);
    const size_t size = data == NULL ? 0 : fread(data, 1, (size_t)length, file);
    fclose(file);
    fprintf(stderr, "%s\n", name);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int files = 0;
    int failures = 0;

    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            files++;
            failures += replay_file(argv[1], entry->d_name);
        }
    }
    closedir(folder);
    printf("%d files replayed\n", files);
    return files > 0 && failures == 0 ? 0 : 1;
}
