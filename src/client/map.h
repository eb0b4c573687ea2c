/* map.h - the one message that Player compresses. */
#ifndef TROUPE_CLIENT_MAP_H
#define TROUPE_CLIENT_MAP_H

#include "troupe/msg.h"

/* The cells in the answer to map GET_DATA are compressed on the wire: put a message with plain
 * cells in its place. Other messages are left as they are. TP_E_COUNT if the cells are not as many
 * as width and height say; the message is then as it was. */
tp_status tpi_map_unpack(tp_msg **msg);

#endif
