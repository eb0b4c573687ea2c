/*
 * motion_text.c - a mechanism in words; see motion_text.h.
 *
 * A joint and the link behind it have one line, and a dof has one. Only branches are indented, so
 * that long chains stay within the line.
 */
#include "motion_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

enum {
    WIDTH = 80,
    NAMES = 24,      /* columns of the names of a joint and its link */
    NUMBER = 7,      /* columns of a number */
    MOST_INDENT = 16 /* columns */
};

/* ---- Words ----------------------------------------------------------------------------------- */

static void put_count(tpi_buf *out, unsigned count, const char *what)
{
    tpi_buf_printf(out, "%u %s%s", count, what, output_plural(count));
}

void motion_text_put_counts(tpi_buf *out, const tpi_mechanism *mechanism)
{
    output_put_clean(out, mechanism->name, strlen(mechanism->name));
    tpi_buf_puts(out, ": ");
    put_count(out, mechanism->link_count, "link");
    tpi_buf_puts(out, ", ");
    put_count(out, mechanism->joint_count, "joint");
    tpi_buf_puts(out, ", ");
    put_count(out, mechanism->dof_count, "dof");
    tpi_buf_puts(out, ", ");
    put_count(out, mechanism->frame_count, "control frame");
}

static void put_blanks(tpi_buf *out, size_t count)
{
    tpi_buf_printf(out, "%*s", (int)count, "");
}

/* Append a name, cut to so many columns. */
static void put_name(tpi_buf *out, const char *text, size_t most)
{
    const size_t length = strlen(text), fits = output_fit(text, length, most);

    output_put_clean(out, text, fits);
}

/* A number in at most NUMBER columns, "-" if it is infinite. */
static const char *short_number(char out[32], double value)
{
    if (isinf(value)) {
        return "-";
    }
    for (int digits = 4; digits > 0; digits--) {
        if (snprintf(out, 32, "%.*g", digits, value == 0 ? 0.0 : value) <= NUMBER) {
            break;
        }
    }
    return out;
}

static void put_number(tpi_buf *out, double value)
{
    char text[32];

    tpi_buf_printf(out, " %*s", NUMBER, short_number(text, value));
}

/* "psf": the servo commands that something accepts. */
static const char *servo_of(unsigned servo)
{
    static const char *const words[] = {"none", "p", "s", "ps", "f", "pf", "sf", "psf"};

    return words[servo & 7u];
}

/* ---- Dofs ------------------------------------------------------------------------------------ */

/* "x", "-y", or "*" for a direction that has its own line. */
static const char *axis_of(const double axis[3])
{
    static const char *const names[] = {"x", "y", "z"}, *const opposite[] = {"-x", "-y", "-z"};

    for (int i = 0; i < 3; i++) {
        if (fabs(axis[i]) >= 1 - 1e-9) {
            return axis[i] > 0 ? names[i] : opposite[i];
        }
    }
    return "*";
}

static void put_acceleration(tpi_buf *out, const tpi_dof *dof)
{
    char number[32], text[40];

    snprintf(text, sizeof text, "%s%s",
             dof->assumed_acceleration && !isinf(dof->acceleration) ? "~" : "",
             short_number(number, dof->acceleration));
    tpi_buf_printf(out, " %*s", NUMBER, text);
}

/* Lines below a dof: what its columns have no room for. */
static void put_details(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_dof *dof)
{
    if (strcmp(axis_of(dof->axis), "*") == 0) {
        put_blanks(out, NAMES + 1);
        tpi_buf_printf(out, "axis %.4g %.4g %.4g\n", dof->axis[0], dof->axis[1], dof->axis[2]);
    }
    if (dof->master >= 0) {
        const tpi_joint *joint = tpi_mechanism_joint_of(mechanism, (unsigned)dof->master);
        put_blanks(out, NAMES + 1);
        if (isnan(dof->multiplier)) { /* a server does not tell it */
            tpi_buf_puts(out, "follows ");
        } else {
            tpi_buf_printf(out, "%.4g * ", dof->multiplier);
        }
        put_name(out, joint->name, 24);
        if (joint->dof_count > 1) {
            tpi_buf_printf(out, "[%u]", (unsigned)dof->master - joint->first_dof);
        }
        if (!isnan(dof->multiplier)) {
            tpi_buf_printf(out, " %c %.4g", dof->offset < 0 ? '-' : '+', fabs(dof->offset));
        }
        tpi_buf_putc(out, '\n');
    }
}

/* The columns of a dof, behind its names. */
static void put_dof(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_dof *dof)
{
    tpi_buf_printf(out, " %-5s %2s", dof->type == TPI_REVOLUTE ? "turn" : "slide",
                   axis_of(dof->axis));
    put_number(out, dof->lower);
    put_number(out, dof->upper);
    put_number(out, dof->velocity);
    put_acceleration(out, dof);
    put_number(out, dof->force);
    tpi_buf_printf(out, " %s\n", dof->master >= 0 ? "=" : servo_of(dof->servo));
    put_details(out, mechanism, dof);
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* "waist > trunk"; with `most` columns for both. Returns the columns taken. */
static size_t put_names(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_joint *joint,
                        size_t most)
{
    const size_t before = out->length;

    put_name(out, joint->name, most / 2);
    tpi_buf_puts(out, joint->parent == TPI_WORLD ? ": world > " : " > ");
    put_name(out, mechanism->links[joint->child].name, most / 2 - 10);
    return output_width(tpi_buf_text(out) + before, out->length - before);
}

static void put_joint(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_joint *joint,
                      size_t indent)
{
    size_t column = indent;

    put_blanks(out, indent);
    column += put_names(out, mechanism, joint, WIDTH - indent);
    if (joint->dof_count == 0) {
        tpi_buf_puts(out, column + 7 <= WIDTH ? "  fixed\n" : "\n");
        return;
    }
    for (unsigned i = 0; i < joint->dof_count; i++) {
        if (column > NAMES) {
            tpi_buf_putc(out, '\n');
            column = 0;
        }
        put_blanks(out, NAMES - column);
        put_dof(out, mechanism, &mechanism->dofs[joint->first_dof + i]);
        column = 0;
    }
}

/* Links below which joints wait to be printed: the first and the next joint of each. */
struct tree {
    const tpi_mechanism *mechanism;
    int first[TPI_MOST_LINKS];     /* the first joint that hangs on a link; -1 for none */
    int next[TPI_MOST_LINKS + 1];  /* the next joint on the same link */
    int count[TPI_MOST_LINKS];     /* of joints on a link */
    int stack[TPI_MOST_LINKS + 1]; /* joints that wait */
    size_t indents[TPI_MOST_LINKS + 1];
};

static void fill_tree(struct tree *tree, const tpi_mechanism *mechanism)
{
    tree->mechanism = mechanism;
    for (unsigned i = 0; i < mechanism->link_count; i++) {
        tree->first[i] = -1;
        tree->count[i] = 0;
    }
    for (int i = (int)mechanism->joint_count - 1; i > 0; i--) {
        const int parent = mechanism->joints[i].parent;
        tree->next[i] = tree->first[parent];
        tree->first[parent] = i;
        tree->count[parent]++;
    }
}

/* Put the joints on a link on the stack, the first one on top. Returns how many there are now. */
static unsigned push_children(struct tree *tree, int link, size_t indent, unsigned waiting)
{
    const unsigned from = waiting;

    for (int joint = tree->first[link]; joint >= 0; joint = tree->next[joint]) {
        tree->stack[waiting] = joint;
        tree->indents[waiting++] = indent;
    }
    for (unsigned a = from, b = waiting; a + 1 < b; a++, b--) {
        const int other = tree->stack[a];
        tree->stack[a] = tree->stack[b - 1];
        tree->stack[b - 1] = other;
    }
    return waiting;
}

/* Depth first, without recursion: a file may have a chain of thousands of links. */
static void put_tree(tpi_buf *out, const tpi_mechanism *mechanism)
{
    static struct tree tree; /* too large for the stack; one command runs once */
    unsigned waiting = 1;

    fill_tree(&tree, mechanism);
    tree.stack[0] = 0;
    tree.indents[0] = 0;
    while (waiting > 0) {
        const tpi_joint *joint = &mechanism->joints[tree.stack[--waiting]];
        const size_t own = tree.indents[waiting];
        const bool branches = tree.count[joint->child] > 1 && own < MOST_INDENT;

        put_joint(out, mechanism, joint, own);
        waiting = push_children(&tree, joint->child, own + (branches ? 2 : 0), waiting);
    }
}

/* ---- Everything ------------------------------------------------------------------------------ */

static void put_frame(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_control_frame *frame)
{
    double rpy[3];

    tpi_rpy_of_rotation(rpy, frame->pose.r);
    tpi_buf_puts(out, "  ");
    put_name(out, frame->name, 30);
    tpi_buf_puts(out, " on ");
    put_name(out, mechanism->links[frame->link].name, 30);
    tpi_buf_printf(out, ", %s\n    at %.4g %.4g %.4g m", servo_of(frame->servo), frame->pose.p[0],
                   frame->pose.p[1], frame->pose.p[2]);
    if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0) {
        tpi_buf_printf(out, ", turned %.4g %.4g %.4g rad", rpy[0], rpy[1], rpy[2]);
    }
    tpi_buf_putc(out, '\n');
}

/* Append a text in lines of at most WIDTH columns; further lines are indented. */
static void put_wrapped(tpi_buf *out, const char *text)
{
    size_t left = strlen(text), room = WIDTH;

    while (left > 0) {
        size_t length = output_fit(text, left, room);
        size_t words = length;

        while (length < left && words > 0 && text[words] != ' ') {
            words--;
        }
        length = words > 0 ? words : length;
        output_put_clean(out, text, length);
        tpi_buf_putc(out, '\n');
        text += length;
        left -= length;
        while (left > 0 && *text == ' ') {
            text++;
            left--;
        }
        if (left > 0) {
            tpi_buf_puts(out, "    ");
            room = WIDTH - 4;
        }
    }
}

static void put_warnings(tpi_buf *out, const tpi_mechanism *mechanism)
{
    tpi_buf line = {0};

    if (mechanism->warnings != NULL) {
        tpi_buf_puts(out, "\nWarnings\n");
    }
    for (const tpi_mechanism_warning *w = mechanism->warnings; w != NULL; w = w->next) {
        tpi_buf_clear(&line);
        tpi_buf_printf(&line, "  line %u: %s", w->line, w->text);
        put_wrapped(out, tpi_buf_text(&line));
    }
    out->failed = out->failed || line.failed;
    tpi_buf_fini(&line);
}

static bool has_assumed(const tpi_mechanism *mechanism)
{
    for (unsigned i = 0; i < mechanism->dof_count; i++) {
        if (mechanism->dofs[i].assumed_acceleration && !isinf(mechanism->dofs[i].acceleration)) {
            return true;
        }
    }
    return false;
}

void motion_text_put(tpi_buf *out, const tpi_mechanism *mechanism)
{
    double mass_kg = 0;

    for (unsigned i = 0; i < mechanism->link_count; i++) {
        mass_kg += mechanism->links[i].mass_kg;
    }
    motion_text_put_counts(out, mechanism);
    tpi_buf_printf(out, ", %.4g kg\n\n%-*s %-8s %7s %7s %7s %7s %7s SERVO\n", mass_kg, NAMES,
                   "JOINT > LINK", "AXIS", "LOWER", "UPPER", "SPEED", "ACCEL", "FORCE");
    put_tree(out, mechanism);
    tpi_buf_puts(out, "\nUnits: rad, rad/s, rad/s2 and Nm of turns; m, m/s, m/s2 and N of slides.\n"
                      "- is no limit.\n"
                      "SERVO: the dof takes p set-points, s speeds, f forces; = follows a dof.\n");
    if (has_assumed(mechanism)) {
        tpi_buf_puts(out, "~ is assumed, as the file has no acceleration: SPEED in 0.2 s.\n");
    }
    if (mechanism->frame_count > 0) {
        tpi_buf_puts(out, "\nControl frames\n");
    }
    for (unsigned i = 0; i < mechanism->frame_count; i++) {
        put_frame(out, mechanism, &mechanism->frames[i]);
    }
    put_warnings(out, mechanism);
}
