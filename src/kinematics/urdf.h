/*
 * urdf.h - what a URDF file says, before it is made a mechanism.
 *
 * urdf.c reads the elements, urdf_values.c the values of attributes; urdf_names.c finds elements by
 * name; urdf_build.c joins and checks them, with urdf_dofs.c for the dofs of a joint and
 * urdf_mimic.c for joints that follow others.
 */
#ifndef TROUPE_KINEMATICS_URDF_H
#define TROUPE_KINEMATICS_URDF_H

#include "kinematics/mechanism.h"

enum {
    TPI_URDF_MOST = 4096, /* links, joints, frames, compounds, joints of the extension: of each */
    TPI_URDF_NAME = 200,  /* bytes of the longest name */
};

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
    int index;         /* in the mechanism; -1 for a link inside of a compound */
    bool is_inner;     /* inside of a compound */
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
    bool has_limit, has_ends; /* the limit has a lower or an upper end */
    double lower, upper, velocity, effort;
    const char *mimics; /* the name of a joint; NULL for none */
    double multiplier, offset;
    double acceleration; /* of the extension; 0 if not given */
    unsigned servo;      /* of the extension */
    bool has_servo;

    /* Set while the mechanism is built. */
    const struct tpi_urdf_compound *compound; /* that it is a part of; NULL for none */
    struct tpi_urdf_joint *member;            /* the next joint of the compound */
    bool is_built;
    unsigned first_dof; /* index of its first dof in the mechanism */
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
    tpi_urdf_joint *first; /* set by urdf_build.c */
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

/* A name of the file and the element that has it. */
typedef struct tpi_urdf_name {
    const char *name;
    unsigned line;
    void *element; /* borrowed */
} tpi_urdf_name;

typedef struct tpi_urdf {
    const char *path; /* for messages; borrowed */
    const char *name;
    unsigned line;      /* of <robot> */
    tpi_urdf_kind base; /* fixed, planar or floating */
    tpi_urdf_link *links, **links_end;
    tpi_urdf_joint *joints, **joints_end;
    tpi_urdf_frame *frames, **frames_end;
    tpi_urdf_compound *compounds, **compounds_end;
    tpi_urdf_extra *extras, **extras_end;
    unsigned link_count, joint_count, frame_count, compound_count, extra_count;
    tpi_urdf_name *link_names, *joint_names; /* sorted; set by tpi_urdf_sort_names() */
    tpi_mechanism *mechanism;                /* its arena has everything here */
    tpi_mechanism_warning **warnings_end;
    bool lost_warning; /* there was no memory for one */
    tp_error *err;
} tpi_urdf;

/* Fill the error: "path:line: <element name>: text". Returns TP_E_INVALID. */
tp_status tpi_urdf_fail(const tpi_urdf *urdf, unsigned line, const char *element, const char *name,
                        const char *format, ...) TP_PRINTF(5, 6);

/* Fill the error. Returns TP_E_NOMEM. */
tp_status tpi_urdf_no_memory(const tpi_urdf *urdf);

/* Note something unusual. */
void tpi_urdf_warn(tpi_urdf *urdf, unsigned line, const char *format, ...) TP_PRINTF(3, 4);

/* ---- Values of attributes ---- */

/* Read `count` finite numbers, separated by blanks; false for anything else. With `may_be_infinite`
 * "inf" is a number too. */
bool tpi_urdf_read_numbers(const char *text, double *out, unsigned count, bool may_be_infinite);

/* Read the words of a servo attribute; false for an unknown word. */
bool tpi_urdf_read_servo(const char *text, unsigned *out);

/* Whether a word is one of `words`, which blanks separate. */
bool tpi_urdf_has_word(const char *words, const char *word);

/* The pose that an origin means. */
tpi_spatial tpi_urdf_pose(const tpi_urdf_origin *origin);

/* ---- Names ---- */

/* Sort the names of links and joints. Fails if a name is there twice within links, joints or
 * frames. */
tp_status tpi_urdf_sort_names(tpi_urdf *urdf);

/* The link with this name; NULL if there is none. */
tpi_urdf_link *tpi_urdf_link_named(const tpi_urdf *urdf, const char *name);

/* The joint whose name has these `length` characters; NULL if there is none. */
tpi_urdf_joint *tpi_urdf_joint_named(const tpi_urdf *urdf, const char *name, size_t length);

/* ---- Building ---- */

/* Append the dofs of one joint of the file to a joint of the mechanism. */
tp_status tpi_urdf_add_dofs(tpi_urdf *urdf, const tpi_urdf_joint *from, tpi_joint *joint);

/* Connect the dofs of joints that mimic others with their masters. */
tp_status tpi_urdf_build_mimics(tpi_urdf *urdf);

/* Make the mechanism of what was read. */
tp_status tpi_urdf_build(tpi_urdf *urdf);

#endif
