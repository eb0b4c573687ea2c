/*
 * urdf.c - reads the elements of a URDF file.
 *
 * An element is known by its way from the root: robot/link/inertial/mass. Everything else (visual,
 * collision, transmission, gazebo ...) is skipped. Nothing is checked here but the form of single
 * elements; urdf_build.c joins them.
 *
 * The extension of Troupe is one element, which other readers skip:
 *
 *     <troupe>
 *       <base type="planar"/>                                   fixed, planar or floating
 *       <compound name="head" joints="pan tilt"/>               one joint with several dofs
 *       <joint name="elbow" acceleration="3" servo="position speed"/>
 *       <frame name="hand" link="wrist" servo="position"><origin xyz="0 0 0.1" rpy="0 0
 * 0"/></frame>
 *     </troupe>
 */
#include "kinematics/urdf.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"

enum { MOST_DEPTH = 100, MOST_PATH = 64, MOST_ELEMENTS = 100000 };

/* The state of reading. */
struct reading {
    tpi_urdf urdf;
    XML_Parser parser;
    tp_status status;
    unsigned depth, elements;
    unsigned known;      /* how many levels from the root are in `way` */
    char way[MOST_PATH]; /* "robot/link/inertial" */
    tpi_urdf_link *link; /* the one that is open */
    tpi_urdf_joint *joint;
    tpi_urdf_frame *frame;
};

/* ---- Messages ---- */

tp_status tpi_urdf_fail(const tpi_urdf *urdf, unsigned line, const char *element, const char *name,
                        const char *format, ...)
{
    char text[160];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (name != NULL) {
        return tp_fail(urdf->err, TP_E_INVALID, "%s:%u: <%s name=\"%s\">: %s", urdf->path, line,
                       element, name, text);
    }
    return tp_fail(urdf->err, TP_E_INVALID, "%s:%u: <%s>: %s", urdf->path, line, element, text);
}

void tpi_urdf_warn(tpi_urdf *urdf, unsigned line, const char *format, ...)
{
    tpi_arena *arena = &urdf->mechanism->arena;
    tpi_mechanism_warning *warning = tpi_arena_alloc(arena, sizeof *warning);
    tpi_mechanism_warning **end = &urdf->mechanism->warnings;
    char text[200];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (warning == NULL || (warning->text = tpi_arena_text(arena, text, strlen(text))) == NULL) {
        return; /* a warning is not worth a failure */
    }
    warning->line = line;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = warning;
}

static unsigned line_of(const struct reading *in)
{
    return (unsigned)XML_GetCurrentLineNumber(in->parser);
}

static void stop(struct reading *in, tp_status status)
{
    in->status = status;
    XML_StopParser(in->parser, XML_FALSE);
}

/* ---- Attributes ---- */

static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Read a number as files have it: also "+1", ".5", "1." and "inf". Returns its length, 0 if there
 * is none. */
static size_t read_number(const char *text, double *value)
{
    char plain[64] = "";
    size_t length = 0, used = 0;
    const bool minus = *text == '-';
    const size_t sign = *text == '-' || *text == '+';

    while (text[length] != 0 && !is_blank(text[length])) {
        length++;
    }
    if (length - sign >= sizeof plain - 2) {
        return 0;
    }
    if (strncmp(text + sign, "inf", 3) == 0 || strncmp(text + sign, "Inf", 3) == 0) {
        *value = minus ? -INFINITY : INFINITY;
        return length;
    }
    for (size_t i = sign; i < length; i++) {
        const char next = i + 1 < length ? text[i + 1] : 0;
        const bool is_dot = text[i] == '.', digit_after = next >= '0' && next <= '9';

        if (is_dot && used == 0) {
            plain[used++] = '0';
        }
        if (!is_dot || digit_after) {
            plain[used++] = text[i];
        }
    }
    /* JSON has no leading zeros: 007 is 7 here. */
    const char *from = plain;
    while (from[0] == '0' && from[1] >= '0' && from[1] <= '9') {
        from++;
        used--;
    }
    if (used == 0 || tpi_number_read_f64(from, used, value) != used) {
        return 0;
    }
    *value = minus ? -*value : *value;
    return length;
}

/* Read `count` numbers. Returns false if there are more, fewer or none. */
static bool read_numbers(const char *text, double *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        while (is_blank(*text)) {
            text++;
        }
        const size_t length = read_number(text, &out[i]);
        if (length == 0) {
            return false;
        }
        text += length;
    }
    while (is_blank(*text)) {
        text++;
    }
    return *text == 0;
}

/* Read numbers of an attribute, if it is there. */
static bool numbers(struct reading *in, const char *element, const char **attributes,
                    const char *name, double *out, unsigned count)
{
    const char *text = attribute(attributes, name);

    if (text == NULL) {
        return true;
    }
    if (!read_numbers(text, out, count)) {
        stop(in,
             tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s=\"%.40s\" is not %u number%s",
                           name, text, count, count == 1 ? "" : "s"));
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (isnan(out[i])) {
            stop(in,
                 tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s is not a number", name));
            return false;
        }
    }
    return true;
}

/* A copy of an attribute that must be there; NULL, with the error, if it is not. */
static const char *needed(struct reading *in, const char *element, const char **attributes,
                          const char *name)
{
    const char *text = attribute(attributes, name);
    const char *copy = NULL;

    if (text == NULL || *text == 0) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s is missing", name));
        return NULL;
    }
    copy = tpi_arena_text(&in->urdf.mechanism->arena, text, strlen(text));
    if (copy == NULL) {
        stop(in, tp_fail(in->urdf.err, TP_E_NOMEM, "out of memory"));
    }
    return copy;
}

static void *piece(struct reading *in, size_t size)
{
    void *memory = tpi_arena_alloc(&in->urdf.mechanism->arena, size);

    if (memory == NULL) {
        stop(in, tp_fail(in->urdf.err, TP_E_NOMEM, "out of memory"));
    }
    return memory;
}

static bool read_origin(struct reading *in, const char **attributes, tpi_urdf_origin *out)
{
    return numbers(in, "origin", attributes, "xyz", out->xyz, 3) &&
           numbers(in, "origin", attributes, "rpy", out->rpy, 3);
}

/* The words of a servo attribute. */
static bool read_servo(struct reading *in, const char *element, const char **attributes,
                       unsigned *out, bool *given)
{
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {{"position", TPI_SERVO_POSITION},
                 {"speed", TPI_SERVO_SPEED},
                 {"force", TPI_SERVO_FORCE},
                 {"none", 0}};
    const char *text = attribute(attributes, "servo");

    *given = text != NULL;
    *out = 0;
    while (text != NULL && *text != 0) {
        size_t length = 0, i = 0;
        while (is_blank(*text)) {
            text++;
        }
        while (text[length] != 0 && !is_blank(text[length])) {
            length++;
        }
        while (i < 4 &&
               (strlen(words[i].word) != length || strncmp(words[i].word, text, length) != 0)) {
            i++;
        }
        if (i == 4 && length > 0) {
            stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL,
                                   "servo is one or more of position, speed, force, or none"));
            return false;
        }
        *out |= length > 0 ? words[i].bit : 0;
        text += length;
    }
    return true;
}

/* ---- Elements ---- */

static void open_robot(struct reading *in, const char **attributes)
{
    in->urdf.name = needed(in, "robot", attributes, "name");
}

static void open_link(struct reading *in, const char **attributes)
{
    const char *name = needed(in, "link", attributes, "name");
    tpi_urdf_link *link = name != NULL ? piece(in, sizeof *link) : NULL;

    if (link == NULL) {
        return;
    }
    if (++in->urdf.link_count > TPI_MOST_LINKS) {
        stop(in,
             tpi_urdf_fail(&in->urdf, line_of(in), "link", name, "over %d links", TPI_MOST_LINKS));
        return;
    }
    link->name = name;
    link->line = line_of(in);
    *in->urdf.links_end = in->link = link;
    in->urdf.links_end = &link->next;
}

static void open_inertial(struct reading *in, const char **attributes)
{
    (void)attributes;
    in->link->has_inertia = true;
}

static void open_inertial_origin(struct reading *in, const char **attributes)
{
    read_origin(in, attributes, &in->link->centre);
}

static void open_mass(struct reading *in, const char **attributes)
{
    if (numbers(in, "mass", attributes, "value", &in->link->mass_kg, 1) &&
        !(in->link->mass_kg >= 0 && in->link->mass_kg < INFINITY)) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), "mass", NULL, "value is below 0"));
    }
}

static void open_inertia(struct reading *in, const char **attributes)
{
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

    for (int i = 0; i < 6; i++) {
        if (!numbers(in, "inertia", attributes, names[i], &in->link->inertia[i], 1)) {
            return;
        }
    }
}

static bool kind_of(const char *text, tpi_urdf_kind *out)
{
    static const char *const names[] = {"fixed",     "revolute", "continuous",
                                        "prismatic", "planar",   "floating"};

    for (int i = 0; i < 6 && text != NULL; i++) {
        if (strcmp(names[i], text) == 0) {
            *out = (tpi_urdf_kind)i;
            return true;
        }
    }
    return false;
}

static void open_joint(struct reading *in, const char **attributes)
{
    const char *name = needed(in, "joint", attributes, "name");
    tpi_urdf_joint *joint = name != NULL ? piece(in, sizeof *joint) : NULL;

    if (joint == NULL) {
        return;
    }
    *joint = (tpi_urdf_joint){.name = name,
                              .line = line_of(in),
                              .axis = {1, 0, 0},
                              .multiplier = 1,
                              .lower = -INFINITY,
                              .upper = INFINITY,
                              .velocity = INFINITY,
                              .effort = INFINITY};
    if (!kind_of(attribute(attributes, "type"), &joint->kind)) {
        stop(in, tpi_urdf_fail(&in->urdf, joint->line, "joint", name,
                               "type is one of fixed, revolute, continuous, prismatic, planar, "
                               "floating"));
        return;
    }
    in->urdf.joint_count++;
    *in->urdf.joints_end = in->joint = joint;
    in->urdf.joints_end = &joint->next;
}

static void open_joint_origin(struct reading *in, const char **attributes)
{
    read_origin(in, attributes, &in->joint->origin);
}

static void open_parent(struct reading *in, const char **attributes)
{
    in->joint->parent = needed(in, "parent", attributes, "link");
}

static void open_child(struct reading *in, const char **attributes)
{
    in->joint->child = needed(in, "child", attributes, "link");
}

static void open_axis(struct reading *in, const char **attributes)
{
    numbers(in, "axis", attributes, "xyz", in->joint->axis, 3);
}

static void open_limit(struct reading *in, const char **attributes)
{
    tpi_urdf_joint *joint = in->joint;

    joint->has_limit = true;
    joint->lower = joint->upper = 0; /* what a limit without them means */
    if (numbers(in, "limit", attributes, "lower", &joint->lower, 1) &&
        numbers(in, "limit", attributes, "upper", &joint->upper, 1) &&
        numbers(in, "limit", attributes, "velocity", &joint->velocity, 1)) {
        numbers(in, "limit", attributes, "effort", &joint->effort, 1);
    }
}

static void open_mimic(struct reading *in, const char **attributes)
{
    in->joint->mimics = needed(in, "mimic", attributes, "joint");
    if (numbers(in, "mimic", attributes, "multiplier", &in->joint->multiplier, 1)) {
        numbers(in, "mimic", attributes, "offset", &in->joint->offset, 1);
    }
}

static void open_base(struct reading *in, const char **attributes)
{
    if (!kind_of(attribute(attributes, "type"), &in->urdf.base) ||
        (in->urdf.base != TPI_URDF_FIXED && in->urdf.base < TPI_URDF_PLANAR)) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), "base", NULL,
                               "type is one of fixed, planar, floating"));
    }
}

static void open_compound(struct reading *in, const char **attributes)
{
    tpi_urdf_compound *compound = piece(in, sizeof *compound);

    if (compound == NULL || (compound->name = needed(in, "compound", attributes, "name")) == NULL ||
        (compound->joints = needed(in, "compound", attributes, "joints")) == NULL) {
        return;
    }
    compound->line = line_of(in);
    *in->urdf.compounds_end = compound;
    in->urdf.compounds_end = &compound->next;
}

static void open_extra(struct reading *in, const char **attributes)
{
    tpi_urdf_extra *extra = piece(in, sizeof *extra);

    if (extra == NULL || (extra->joint = needed(in, "joint", attributes, "name")) == NULL ||
        !numbers(in, "joint", attributes, "acceleration", &extra->acceleration, 1) ||
        !read_servo(in, "joint", attributes, &extra->servo, &extra->has_servo)) {
        return;
    }
    extra->line = line_of(in);
    if (attribute(attributes, "acceleration") != NULL && !(extra->acceleration > 0)) {
        stop(in, tpi_urdf_fail(&in->urdf, extra->line, "joint", extra->joint,
                               "acceleration is above 0"));
    }
    *in->urdf.extras_end = extra;
    in->urdf.extras_end = &extra->next;
}

static void open_frame(struct reading *in, const char **attributes)
{
    tpi_urdf_frame *frame = piece(in, sizeof *frame);
    bool given;

    if (frame == NULL || (frame->name = needed(in, "frame", attributes, "name")) == NULL ||
        (frame->link = needed(in, "frame", attributes, "link")) == NULL ||
        !read_servo(in, "frame", attributes, &frame->servo, &given)) {
        return;
    }
    if (!given) {
        frame->servo = TPI_SERVO_POSITION | TPI_SERVO_SPEED;
    }
    frame->line = line_of(in);
    in->urdf.frame_count++;
    *in->urdf.frames_end = in->frame = frame;
    in->urdf.frames_end = &frame->next;
}

static void open_frame_origin(struct reading *in, const char **attributes)
{
    read_origin(in, attributes, &in->frame->origin);
}

static const struct {
    const char *way;
    void (*open)(struct reading *in, const char **attributes);
} elements[] = {
    {"robot", open_robot},
    {"robot/link", open_link},
    {"robot/link/inertial", open_inertial},
    {"robot/link/inertial/origin", open_inertial_origin},
    {"robot/link/inertial/mass", open_mass},
    {"robot/link/inertial/inertia", open_inertia},
    {"robot/joint", open_joint},
    {"robot/joint/origin", open_joint_origin},
    {"robot/joint/parent", open_parent},
    {"robot/joint/child", open_child},
    {"robot/joint/axis", open_axis},
    {"robot/joint/limit", open_limit},
    {"robot/joint/mimic", open_mimic},
    {"robot/troupe", NULL},
    {"robot/troupe/base", open_base},
    {"robot/troupe/compound", open_compound},
    {"robot/troupe/joint", open_extra},
    {"robot/troupe/frame", open_frame},
    {"robot/troupe/frame/origin", open_frame_origin},
};

/* ---- Expat ---- */

/* Append an element to the way, if it is one of the known elements. */
static int step_into(struct reading *in, const char *element)
{
    char way[MOST_PATH];

    if (in->known != in->depth || snprintf(way, sizeof way, "%s%s%s", in->way,
                                           *in->way != 0 ? "/" : "", element) >= (int)sizeof way) {
        return -1;
    }
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        if (strcmp(elements[i].way, way) == 0) {
            memcpy(in->way, way, sizeof way);
            return (int)i;
        }
    }
    return -1;
}

static void XMLCALL on_open(void *data, const char *element, const char **attributes)
{
    struct reading *in = data;
    const int which = step_into(in, element);

    if (in->status != TP_OK) {
        return; /* expat may call once more after it was stopped */
    }
    if (++in->depth > MOST_DEPTH) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL,
                               "elements are nested over %d deep", MOST_DEPTH));
        return;
    }
    if (++in->elements > MOST_ELEMENTS) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "over %d elements",
                               MOST_ELEMENTS));
        return;
    }
    if (in->depth == 1 && which != 0) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL,
                               "a URDF file begins with <robot>"));
        return;
    }
    if (which >= 0) {
        in->known = in->depth;
        if (elements[which].open != NULL) {
            elements[which].open(in, attributes);
        }
    }
}

static void XMLCALL on_close(void *data, const char *element)
{
    struct reading *in = data;

    (void)element;
    if (in->known == in->depth) {
        char *slash = strrchr(in->way, '/');
        *(slash != NULL ? slash : in->way) = 0;
        in->known--;
    }
    in->depth--;
}

static void XMLCALL on_entity(void *data, const char *name, int is_parameter, const char *value,
                              int length, const char *base, const char *system, const char *public,
                              const char *notation)
{
    struct reading *in = data;

    (void)is_parameter;
    (void)value;
    (void)length;
    (void)base;
    (void)system;
    (void)public;
    (void)notation;
    stop(in, tp_fail(in->urdf.err, TP_E_INVALID, "%s:%u: entity %.40s: entities are not allowed",
                     in->urdf.path, line_of(in), name));
}

static tp_status parse(struct reading *in, const char *text, size_t length)
{
    if (length > INT32_MAX) {
        return tp_fail(in->urdf.err, TP_E_LIMIT, "%s: the file is too large", in->urdf.path);
    }
    in->parser = XML_ParserCreate(NULL);
    if (in->parser == NULL) {
        return tp_fail(in->urdf.err, TP_E_NOMEM, "out of memory");
    }
    XML_SetUserData(in->parser, in);
    XML_SetElementHandler(in->parser, on_open, on_close);
    XML_SetEntityDeclHandler(in->parser, on_entity);
    if (XML_Parse(in->parser, text, (int)length, 1) != XML_STATUS_OK && in->status == TP_OK) {
        in->status = tp_fail(in->urdf.err, TP_E_INVALID, "%s:%u: %s", in->urdf.path, line_of(in),
                             XML_ErrorString(XML_GetErrorCode(in->parser)));
    }
    XML_ParserFree(in->parser);
    return in->status;
}

tp_status tpi_urdf_read(tpi_mechanism **out, const char *text, size_t length, const char *path,
                        tp_error *err)
{
    struct reading in = {.urdf = {.path = path, .err = err, .base = TPI_URDF_FIXED}};
    tpi_urdf *urdf = &in.urdf;
    tp_status status;

    urdf->mechanism = calloc(1, sizeof *urdf->mechanism);
    if (urdf->mechanism == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    urdf->links_end = &urdf->links;
    urdf->joints_end = &urdf->joints;
    urdf->frames_end = &urdf->frames;
    urdf->compounds_end = &urdf->compounds;
    urdf->extras_end = &urdf->extras;
    status = parse(&in, text, length);
    if (status == TP_OK) {
        status = tpi_urdf_build(urdf);
    }
    if (status != TP_OK) {
        tpi_mechanism_destroy(urdf->mechanism);
        return status;
    }
    *out = urdf->mechanism;
    return TP_OK;
}
