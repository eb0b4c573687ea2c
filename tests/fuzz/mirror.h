/*
 * mirror.h - a server for fuzz targets: no thread, no network of its own, a clock that stands
 * still, and devices of many interfaces that answer everything at once.
 */
#ifndef TROUPE_TESTS_FUZZ_MIRROR_H
#define TROUPE_TESTS_FUZZ_MIRROR_H

#include "session/front.h"
#include "troupe/driver.h"
#include "troupe/loop.h"

enum { MIRROR_ROBOT = 6665 };

/* Before anything else: the server has this driver too, with this section of a configuration. */
void mirror_add(const tp_driver *driver, const char *section);

/* Made at the first call and kept. */
tp_hub *mirror_hub(void);
tp_loop *mirror_loop(void);

/* Open a front at this address for the server's robot. tpi_front_close() closes it. */
tp_front_instance *mirror_open(const tp_front *front, const char *address);

/* One turn of the loop, without waiting. */
void mirror_turn(void);
void mirror_move_clock(int64_t by_ns);

/* What a server says: greetings and whole messages, whatever was said to it. */
typedef struct mirror_answers {
    unsigned greetings;
    unsigned replies;
    unsigned others;
} mirror_answers;

/* Count what there is of whole messages at `bytes`; how many bytes they take. */
size_t mirror_count(mirror_answers *answers, const unsigned char *bytes, size_t length);

#endif
