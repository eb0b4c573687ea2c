/* folder.h - the recordings of a folder. */
#ifndef TROUPE_LOG_HOST_FOLDER_H
#define TROUPE_LOG_HOST_FOLDER_H

#include "platform/listing.h"

/* Files that are named as recordings, NAME.mcap or NAME.log, the newest first; how many. "" is the
 * folder of the process. */
size_t tpi_log_folder_list(const char *folder, tpi_listed *out, size_t most);

#endif
