/* robot.h - the description of a robot, asked for page by page. */
#ifndef TROUPE_CLIENT_MOTION_ROBOT_H
#define TROUPE_CLIENT_MOTION_ROBOT_H

#include "motion/package.h"
#include "troupe/motion.h"

enum { TPI_ROBOT_MOST = 4097 }; /* joints, links or frames */

/* A description that may not be complete. */
typedef struct tpi_robot {
    tp_motion_robot robot;
    tp_motion_joint *joints; /* owned, as the next two; `robot` points there */
    tp_motion_link *links;
    tp_motion_frame *frames;
    uint32_t joints_read, links_read, frames_read;
} tpi_robot;

/* Memory for what HEADER announces. TP_E_LIMIT if that is too much; TP_E_NOMEM. */
tp_status tpi_robot_create(tpi_robot **out, const tpi_motion_description *header, tp_error *err);
void tpi_robot_destroy(tpi_robot *robot); /* NULL is accepted */

/* What to ask next: a code and a page; false if the description is complete. */
bool tpi_robot_next(const tpi_robot *robot, uint16_t *code, tpi_motion_page *page);

/* An answer to that. TP_E_INVALID if it is no part of a description, or not the next one. */
tp_status tpi_robot_take(tpi_robot *robot, const tpi_motion_record *record, tp_error *err);

/* Check a complete description: what its parts refer to is there. */
tp_status tpi_robot_check(const tpi_robot *robot, tp_error *err);

#endif
