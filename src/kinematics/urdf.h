/*
 * urdf.h - what a URDF file says, before it is made a mechanism. Shared by urdf.c, which reads the
 * elements, and urdf_build.c, which checks and joins them.
 */
#ifndef TROUPE_KINEMATICS_URDF_H
#define TROUPE_KINEMATICS_URDF_H

#include "kinematics/mechanism.h"

typedef struct tpi_urdf_origin {
    double xyz[3], rpy[3];
} tpi_urdf_origin;

typedef struct tpi_urdf_link {
    const char *name;
    unsigned line;
    bool has_inertia;
    double mass_kg;
    tpi_urdf_origin centre;
    double inertia[6]; /* in the axes of `centre` */
    struct tpi_urdf_link *next;
} tpi_urdf_link;

typedef enum tpi_urdf_kind {
    TPI_URDF_FIXED,
    TPI_URDF_REVOLUTE,
    TPI_URDF_CONTINUOUS,
    TPI_URDF_PRISMATIC,
    TPI_URDF_PLANAR,
    TPI_URDF_FLOATING,
} tpi_urdf_kind;

typedef struct tpi_urdf_joint {
    const char *name;
    unsigned line;
    tpi_urdf_kind kind;
    const char *parent, *child; /* names of links; NULL if not given */
    tpi_urdf_origin origin;
    double axis[3];
    bool has_limit;
    double lower, upper, velocity, effort;
    const char *mimics; /* the name of a joint; NULL for none */
    double multiplier, offset;
    double acceleration; /* of the extension; 0 if not given */
    unsigned servo;      /* of the extension */
    bool has_servo;
    struct tpi_urdf_joint *next;
} tpi_urdf_joint;

typedef struct tpi_urdf_frame {
    const char *name, *link;
    unsigned line;
    tpi_urdf_origin origin;
    unsigned servo;
    struct tpi_urdf_frame *next;
} tpi_urdf_frame;

/* Joints at one place that are one joint with several dofs: a pan-tilt head, a wrist. */
typedef struct tpi_urdf_compound {
    const char *name;
    const char *joints; /* names, separated by blanks, from the root on */
    unsigned line;
    struct tpi_urdf_compound *next;
} tpi_urdf_compound;

/* What <joint> inside of <troupe> adds to a joint. */
typedef struct tpi_urdf_extra {
    const char *joint;
    unsigned line;
    double acceleration; /* 0 if not given */
    unsigned servo;
    bool has_servo;
    struct tpi_urdf_extra *next;
} tpi_urdf_extra;

typedef struct tpi_urdf {
    const char *path; /* for messages; borrowed */
    const char *name;
    tpi_urdf_kind base; /* fixed, planar or floating */
    tpi_urdf_link *links, **links_end;
    tpi_urdf_joint *joints, **joints_end;
    tpi_urdf_frame *frames, **frames_end;
    tpi_urdf_compound *compounds, **compounds_end;
    tpi_urdf_extra *extras, **extras_end;
    unsigned link_count, joint_count, frame_count;
    tpi_mechanism *mechanism; /* its arena has everything here */
    tp_error *err;
} tpi_urdf;

/* Fill the error: "path:line: <element name>: text". Returns TP_E_INVALID. */
tp_status tpi_urdf_fail(const tpi_urdf *urdf, unsigned line, const char *element, const char *name,
                        const char *format, ...) TP_PRINTF(5, 6);

/* Note something unusual. */
void tpi_urdf_warn(tpi_urdf *urdf, unsigned line, const char *format, ...) TP_PRINTF(3, 4);

/* Make the mechanism of what was read. */
tp_status tpi_urdf_build(tpi_urdf *urdf);

#endif
