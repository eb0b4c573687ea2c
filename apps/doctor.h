/* doctor.h - what the parts of troupe doctor share: one line for each thing that was looked at. */
#ifndef TROUPE_APPS_DOCTOR_H
#define TROUPE_APPS_DOCTOR_H

#include "troupe/status.h"

typedef enum doctor_level { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM } doctor_level;

struct doctor {
    unsigned counts[3]; /* by level */
};

/* One line; and below a warning or problem what to do about it. */
void doctor_report(struct doctor *doctor, doctor_level level, const char *format, ...)
    TP_PRINTF(3, 4);
void doctor_advise(const char *format, ...) TP_PRINTF(1, 2);

/* doctor_net.c: sockets of this machine, the ports of robots, and the server in TROUPE_URL. */
void doctor_check_sockets(struct doctor *doctor);
void doctor_check_ports(struct doctor *doctor);
void doctor_check_server(struct doctor *doctor);

#endif
