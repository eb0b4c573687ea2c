/*
 * urdf.c - reads the elements of a URDF file.
 *
 * An element is known by its way from the root: robot/link/inertial/mass. Everything else (visual,
 * collision, transmission, gazebo ...) is skipped. Nothing is checked here but the form of single
 * elements; urdf_build.c joins them. Everything that a file can have many of is bounded, and a
 * file with declarations of its own (entities, defaults of attributes) is refused, since a short
 * one can stand for gigabytes.
 *
 * The extension of Troupe is one element, which other readers skip:
 *
 *     <troupe>
 *       <base type="planar"/>                                   fixed, planar or floating
 *       <compound name="head" joints="pan tilt"/>               one joint with several dofs
 *       <joint name="elbow" acceleration="3" servo="position speed"/>
 *       <frame name="hand" link="wrist" servo="position"><origin xyz="0 0 0.1"/></frame>
 *     </troupe>
 */
#include "kinematics/urdf.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_DEPTH = 100,
    MOST_WAY = 64,
    MOST_ELEMENTS = 100000,
    MOST_JOINTS = 8 * TPI_URDF_NAME, /* characters of the joints of a compound */
};

/* The state of reading. */
struct reading {
    tpi_urdf urdf;
    XML_Parser parser;
    tp_status status;
    unsigned depth, elements;
    unsigned known;      /* how many levels from the root are in `way` */
    char way[MOST_WAY];  /* "robot/link/inertial" */
    tpi_urdf_link *link; /* the one that is open */
    tpi_urdf_joint *joint;
    tpi_urdf_frame *frame;
    uint32_t seen;  /* bit i: elements[i] was there in the open link, joint or frame */
    bool has_xacro; /* something that xacro has not expanded */
};

/* ---- Messages ---- */

/* The end of a long path: an error has room for little more than one line. */
static const char *end_of_path(const char *path)
{
    enum { MOST = 70 };
    const size_t length = strlen(path);

    return length > MOST ? path + length - MOST : path;
}

tp_status tpi_urdf_fail(const tpi_urdf *urdf, unsigned line, const char *element, const char *name,
                        const char *format, ...)
{
    char text[160];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (name != NULL) {
        return tp_fail(urdf->err, TP_E_INVALID, "%s:%u: <%.30s name=\"%.60s\">: %s",
                       end_of_path(urdf->path), line, element, name, text);
    }
    return tp_fail(urdf->err, TP_E_INVALID, "%s:%u: <%.30s>: %s", end_of_path(urdf->path), line,
                   element, text);
}

tp_status tpi_urdf_no_memory(const tpi_urdf *urdf)
{
    return tp_fail(urdf->err, TP_E_NOMEM, "out of memory");
}

void tpi_urdf_warn(tpi_urdf *urdf, unsigned line, const char *format, ...)
{
    tpi_arena *arena = &urdf->mechanism->arena;
    tpi_mechanism_warning *warning = tpi_arena_alloc(arena, sizeof *warning);
    char text[TPI_URDF_NAME + 100];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (warning == NULL || (warning->text = tpi_arena_text(arena, text, strlen(text))) == NULL) {
        urdf->lost_warning = true;
        return;
    }
    warning->line = line;
    *urdf->warnings_end = warning;
    urdf->warnings_end = &warning->next;
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

/* Read numbers of an attribute, if it is there. */
static bool numbers(struct reading *in, const char *element, const char **attributes,
                    const char *name, double *out, unsigned count)
{
    const char *text = attribute(attributes, name);
    const bool is_limit = strcmp(element, "limit") == 0;

    if (text == NULL || tpi_urdf_read_numbers(text, out, count, is_limit)) {
        return true;
    }
    stop(in,
         tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s=\"%.40s\" is not %u %snumber%s",
                       name, text, count, is_limit ? "" : "finite ", count == 1 ? "" : "s"));
    return false;
}

/* A copy of an attribute that must be there; NULL, with the error, if it is not. */
static const char *needed(struct reading *in, const char *element, const char **attributes,
                          const char *name, size_t most)
{
    const char *text = attribute(attributes, name);
    const char *copy = NULL;

    if (text == NULL || *text == 0) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s is missing", name));
        return NULL;
    }
    if (strlen(text) > most) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s has over %zu characters",
                               name, most));
        return NULL;
    }
    copy = tpi_arena_text(&in->urdf.mechanism->arena, text, strlen(text));
    if (copy == NULL) {
        stop(in, tpi_urdf_no_memory(&in->urdf));
    }
    return copy;
}

static const char *needed_name(struct reading *in, const char *element, const char **attributes,
                               const char *name)
{
    return needed(in, element, attributes, name, TPI_URDF_NAME);
}

/* Zeroed memory for an element; NULL, with the error, if there is none or the file has too many of
 * them. */
static void *piece(struct reading *in, const char *element, size_t size, unsigned *count)
{
    void *memory = NULL;

    if (*count == TPI_URDF_MOST) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "over %d of these elements",
                               TPI_URDF_MOST));
        return NULL;
    }
    ++*count;
    memory = tpi_arena_alloc(&in->urdf.mechanism->arena, size);
    if (memory == NULL) {
        stop(in, tpi_urdf_no_memory(&in->urdf));
    }
    return memory;
}

static bool read_origin(struct reading *in, const char **attributes, tpi_urdf_origin *out)
{
    return numbers(in, "origin", attributes, "xyz", out->xyz, 3) &&
           numbers(in, "origin", attributes, "rpy", out->rpy, 3);
}

/* The words of a servo attribute, if it is there. */
static bool read_servo(struct reading *in, const char *element, const char **attributes,
                       unsigned *out, bool *given)
{
    const char *text = attribute(attributes, "servo");

    *given = text != NULL;
    *out = 0;
    if (text != NULL && !tpi_urdf_read_servo(text, out)) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL,
                               "servo is one or more of position, speed, force, or none"));
        return false;
    }
    return true;
}

/* ---- Elements ---- */

static void open_robot(struct reading *in, const char **attributes)
{
    in->urdf.name = needed_name(in, "robot", attributes, "name");
    in->urdf.line = line_of(in);
}

static void open_link(struct reading *in, const char **attributes)
{
    const char *name = needed_name(in, "link", attributes, "name");
    tpi_urdf_link *link =
        name != NULL ? piece(in, "link", sizeof *link, &in->urdf.link_count) : NULL;

    if (link == NULL) {
        return;
    }
    link->name = name;
    link->line = line_of(in);
    in->seen = 0;
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
    if (numbers(in, "mass", attributes, "value", &in->link->mass_kg, 1) && in->link->mass_kg < 0) {
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
    const char *name = needed_name(in, "joint", attributes, "name");
    tpi_urdf_joint *joint =
        name != NULL ? piece(in, "joint", sizeof *joint, &in->urdf.joint_count) : NULL;

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
    in->seen = 0;
    *in->urdf.joints_end = in->joint = joint;
    in->urdf.joints_end = &joint->next;
}

static void open_joint_origin(struct reading *in, const char **attributes)
{
    read_origin(in, attributes, &in->joint->origin);
}

static void open_parent(struct reading *in, const char **attributes)
{
    in->joint->parent = needed_name(in, "parent", attributes, "link");
}

static void open_child(struct reading *in, const char **attributes)
{
    in->joint->child = needed_name(in, "child", attributes, "link");
}

static void open_axis(struct reading *in, const char **attributes)
{
    numbers(in, "axis", attributes, "xyz", in->joint->axis, 3);
}

static void open_limit(struct reading *in, const char **attributes)
{
    tpi_urdf_joint *joint = in->joint;

    joint->has_limit = true;
    joint->has_ends =
        attribute(attributes, "lower") != NULL || attribute(attributes, "upper") != NULL;
    joint->lower = joint->upper = 0; /* what a limit with only one of them means */
    if (numbers(in, "limit", attributes, "lower", &joint->lower, 1) &&
        numbers(in, "limit", attributes, "upper", &joint->upper, 1) &&
        numbers(in, "limit", attributes, "velocity", &joint->velocity, 1)) {
        numbers(in, "limit", attributes, "effort", &joint->effort, 1);
    }
}

static void open_mimic(struct reading *in, const char **attributes)
{
    in->joint->mimics = needed_name(in, "mimic", attributes, "joint");
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
    tpi_urdf_compound *compound = piece(in, "compound", sizeof *compound, &in->urdf.compound_count);

    if (compound == NULL ||
        (compound->name = needed_name(in, "compound", attributes, "name")) == NULL ||
        (compound->joints = needed(in, "compound", attributes, "joints", MOST_JOINTS)) == NULL) {
        return;
    }
    compound->line = line_of(in);
    *in->urdf.compounds_end = compound;
    in->urdf.compounds_end = &compound->next;
}

static void open_extra(struct reading *in, const char **attributes)
{
    tpi_urdf_extra *extra = piece(in, "joint", sizeof *extra, &in->urdf.extra_count);

    if (extra == NULL || (extra->joint = needed_name(in, "joint", attributes, "name")) == NULL ||
        !numbers(in, "joint", attributes, "acceleration", &extra->acceleration, 1) ||
        !read_servo(in, "joint", attributes, &extra->servo, &extra->has_servo)) {
        return;
    }
    extra->line = line_of(in);
    if (attribute(attributes, "acceleration") != NULL && !(extra->acceleration > 0)) {
        stop(in, tpi_urdf_fail(&in->urdf, extra->line, "joint", extra->joint,
                               "acceleration is not above 0"));
        return;
    }
    *in->urdf.extras_end = extra;
    in->urdf.extras_end = &extra->next;
}

static void open_frame(struct reading *in, const char **attributes)
{
    tpi_urdf_frame *frame = piece(in, "frame", sizeof *frame, &in->urdf.frame_count);
    bool given;

    if (frame == NULL || (frame->name = needed_name(in, "frame", attributes, "name")) == NULL ||
        (frame->link = needed_name(in, "frame", attributes, "link")) == NULL ||
        !read_servo(in, "frame", attributes, &frame->servo, &given)) {
        return;
    }
    if (!given) {
        frame->servo = TPI_SERVO_POSITION | TPI_SERVO_SPEED;
    }
    frame->line = line_of(in);
    in->seen = 0;
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
    bool once;              /* of several in the same link, joint or frame the first one counts */
    const char *attributes; /* of the extension: all that it knows */
} elements[] = {
    {"robot", open_robot, false},
    {"robot/link", open_link, false},
    {"robot/link/inertial", open_inertial, true},
    {"robot/link/inertial/origin", open_inertial_origin, true},
    {"robot/link/inertial/mass", open_mass, true},
    {"robot/link/inertial/inertia", open_inertia, true},
    {"robot/joint", open_joint, false},
    {"robot/joint/origin", open_joint_origin, true},
    {"robot/joint/parent", open_parent, true},
    {"robot/joint/child", open_child, true},
    {"robot/joint/axis", open_axis, true},
    {"robot/joint/limit", open_limit, true},
    {"robot/joint/mimic", open_mimic, true},
    {"robot/troupe", NULL, false, ""},
    {"robot/troupe/base", open_base, false, "type"},
    {"robot/troupe/compound", open_compound, false, "name joints"},
    {"robot/troupe/joint", open_extra, false, "name acceleration servo"},
    {"robot/troupe/frame", open_frame, false, "name link servo"},
    {"robot/troupe/frame/origin", open_frame_origin, true, "xyz rpy"},
};

/* The first attribute of an element of the extension that it does not know; NULL for none. */
static const char *unknown_attribute(int which, const char **attributes)
{
    const char *known = which >= 0 ? elements[which].attributes : NULL;

    while (known != NULL && *attributes != NULL && tpi_urdf_has_word(known, *attributes)) {
        attributes += 2;
    }
    return known != NULL ? *attributes : NULL;
}

/* Other attributes and elements of the extension, which no other program writes, are mistakes. */
static void look_for_mistakes(struct reading *in, int which, const char *element,
                              const char **attributes)
{
    const char *unknown = unknown_attribute(which, attributes);

    if (unknown != NULL) {
        tpi_urdf_warn(&in->urdf, line_of(in), "<%.30s>: the attribute %.60s is not known", element,
                      unknown);
    }
    if (which < 0 && in->known + 1 == in->depth && strncmp(in->way, "robot/troupe", 12) == 0) {
        tpi_urdf_warn(&in->urdf, line_of(in), "<troupe>: the element %.60s is not known", element);
    }
    if (which < 0 && strncmp(element, "xacro:", 6) == 0 && !in->has_xacro) {
        in->has_xacro = true;
        tpi_urdf_warn(&in->urdf, line_of(in),
                      "<%.60s> is skipped: xacro makes links and joints of it", element);
    }
}

static void open_element(struct reading *in, int which, const char *element,
                         const char **attributes)
{
    const uint32_t bit = (uint32_t)1 << which;

    if (elements[which].once && (in->seen & bit) != 0) {
        tpi_urdf_warn(&in->urdf, line_of(in), "<%s> is there twice: the first one counts", element);
        return;
    }
    if (elements[which].open != NULL) {
        elements[which].open(in, attributes); /* of a link, joint or frame it clears `seen` */
    }
    in->seen |= bit;
}

/* ---- Expat ---- */

/* Append an element to the way, if it is one of the known elements. */
static int step_into(struct reading *in, const char *element)
{
    char way[MOST_WAY];

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

/* NULL, or what is wrong with the element that begins. */
static const char *refusal(const struct reading *in, int which)
{
    if (in->depth > MOST_DEPTH) {
        return "elements are nested over 100 deep";
    }
    if (in->elements > MOST_ELEMENTS) {
        return "the file has over 100000 elements";
    }
    return in->depth == 1 && which != 0 ? "a URDF file begins with <robot>" : NULL;
}

static void XMLCALL on_open(void *data, const char *element, const char **attributes)
{
    struct reading *in = data;
    const int which = in->status == TP_OK ? step_into(in, element) : -1;

    if (in->status != TP_OK) {
        return; /* expat may call once more after it was stopped */
    }
    in->depth++;
    in->elements++;
    if (which >= 0) {
        in->known = in->depth;
    }
    const char *why = refusal(in, which);
    if (why != NULL) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), element, NULL, "%s", why));
        return;
    }
    look_for_mistakes(in, which, element, attributes);
    if (which >= 0) {
        open_element(in, which, element, attributes);
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

static void XMLCALL on_doctype(void *data, const char *name, const char *system, const char *public,
                               int has_declarations)
{
    struct reading *in = data;

    (void)system;
    (void)public;
    if (has_declarations) {
        stop(in, tpi_urdf_fail(&in->urdf, line_of(in), "!DOCTYPE", name,
                               "declarations are not allowed"));
    }
}

static tp_status parse(struct reading *in, const char *text, size_t length)
{
    static const XML_Memory_Handling_Suite memory = {malloc, realloc, free};

    if (length > INT32_MAX) {
        return tp_fail(in->urdf.err, TP_E_LIMIT, "%s: the file is too large",
                       end_of_path(in->urdf.path));
    }
    in->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (in->parser == NULL) {
        return tpi_urdf_no_memory(&in->urdf);
    }
    XML_SetUserData(in->parser, in);
    XML_SetElementHandler(in->parser, on_open, on_close);
    XML_SetStartDoctypeDeclHandler(in->parser, on_doctype);
    if (XML_Parse(in->parser, text, (int)length, 1) != XML_STATUS_OK && in->status == TP_OK) {
        const enum XML_Error error = XML_GetErrorCode(in->parser);
        in->status = error == XML_ERROR_NO_MEMORY
                         ? tpi_urdf_no_memory(&in->urdf)
                         : tp_fail(in->urdf.err, TP_E_INVALID, "%s:%u: %s",
                                   end_of_path(in->urdf.path), line_of(in), XML_ErrorString(error));
    }
    XML_ParserFree(in->parser);
    return in->status;
}

tp_status tpi_urdf_read(tpi_mechanism **out, const char *text, size_t length, const char *path,
                        tp_error *err)
{
    return tpi_urdf_read_base(out, text, length, path, false, err);
}

tp_status tpi_urdf_read_base(tpi_mechanism **out, const char *text, size_t length, const char *path,
                             bool planar, tp_error *err)
{
    struct reading in = {
        .urdf = {.path = path, .err = err, .base = planar ? TPI_URDF_PLANAR : TPI_URDF_FIXED}};
    tpi_urdf *urdf = &in.urdf;
    tp_status status;

    urdf->mechanism = calloc(1, sizeof *urdf->mechanism);
    if (urdf->mechanism == NULL) {
        return tpi_urdf_no_memory(urdf);
    }
    urdf->warnings_end = &urdf->mechanism->warnings;
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
