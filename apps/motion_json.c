/* motion_json.c - a mechanism as JSON; see motion_text.h. Every value is in MKS units. */
#include <string.h>

#include "motion_text.h"
#include "output.h"

static void put_key(tpi_buf *out, const char *key)
{
    tpi_buf_printf(out, "%s\"%s\":",
                   out->length > 0 && strchr("{[:", out->data[out->length - 1]) == NULL ? "," : "",
                   key);
}

static void put_text(tpi_buf *out, const char *key, const char *text)
{
    put_key(out, key);
    output_put_json(out, text, strlen(text));
}

static void put_number(tpi_buf *out, const char *key, double value)
{
    put_key(out, key);
    output_put_number(out, value);
}

static void put_numbers(tpi_buf *out, const char *key, const double *values, unsigned count)
{
    put_key(out, key);
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_putc(out, i == 0 ? '[' : ',');
        output_put_number(out, values[i]);
    }
    tpi_buf_putc(out, ']');
}

static void put_servo(tpi_buf *out, unsigned servo)
{
    static const char *const words[] = {"position", "speed", "force"};
    const char *comma = "";

    put_key(out, "servo");
    tpi_buf_putc(out, '[');
    for (unsigned i = 0; i < 3; i++) {
        if ((servo >> i & 1u) != 0) {
            tpi_buf_printf(out, "%s\"%s\"", comma, words[i]);
            comma = ",";
        }
    }
    tpi_buf_putc(out, ']');
}

static void put_link(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_link *link)
{
    tpi_buf_putc(out, '{');
    put_text(out, "name", link->name);
    put_text(out, "joint", mechanism->joints[link->joint].name);
    put_number(out, "mass", link->mass_kg);
    put_numbers(out, "centre", link->centre_m, 3);
    put_numbers(out, "inertia", link->inertia, 6);
    tpi_buf_putc(out, '}');
}

static void put_follows(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_dof *dof)
{
    const tpi_joint *joint = tpi_mechanism_joint_of(mechanism, (unsigned)dof->master);

    put_key(out, "follows");
    tpi_buf_putc(out, '{');
    put_text(out, "joint", joint->name);
    put_number(out, "dof", (unsigned)dof->master - joint->first_dof);
    put_number(out, "multiplier", dof->multiplier);
    put_number(out, "offset", dof->offset);
    tpi_buf_putc(out, '}');
}

static void put_dof(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_dof *dof)
{
    tpi_buf_putc(out, '{');
    put_text(out, "type", dof->type == TPI_REVOLUTE ? "revolute" : "prismatic");
    put_numbers(out, "axis", dof->axis, 3);
    put_number(out, "lower", dof->lower);
    put_number(out, "upper", dof->upper);
    put_number(out, "velocity", dof->velocity);
    put_number(out, "force", dof->force);
    put_number(out, "acceleration", dof->acceleration);
    put_key(out, "assumed_acceleration");
    tpi_buf_puts(out, dof->assumed_acceleration ? "true" : "false");
    put_servo(out, dof->servo);
    if (dof->master >= 0) {
        put_follows(out, mechanism, dof);
    }
    tpi_buf_putc(out, '}');
}

static void put_joint(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_joint *joint)
{
    tpi_buf_putc(out, '{');
    put_text(out, "name", joint->name);
    put_key(out, "parent");
    if (joint->parent == TPI_WORLD) {
        tpi_buf_puts(out, "null");
    } else {
        const char *name = mechanism->links[joint->parent].name;
        output_put_json(out, name, strlen(name));
    }
    put_text(out, "child", mechanism->links[joint->child].name);
    put_numbers(out, "position", joint->rest.p, 3);
    put_numbers(out, "rotation", joint->rest.r, 9);
    put_key(out, "dofs");
    tpi_buf_putc(out, '[');
    for (unsigned i = 0; i < joint->dof_count; i++) {
        tpi_buf_puts(out, i == 0 ? "" : ",");
        put_dof(out, mechanism, &mechanism->dofs[joint->first_dof + i]);
    }
    tpi_buf_puts(out, "]}");
}

static void put_frame(tpi_buf *out, const tpi_mechanism *mechanism, const tpi_control_frame *frame)
{
    tpi_buf_putc(out, '{');
    put_text(out, "name", frame->name);
    put_text(out, "link", mechanism->links[frame->link].name);
    put_numbers(out, "position", frame->pose.p, 3);
    put_numbers(out, "rotation", frame->pose.r, 9);
    put_servo(out, frame->servo);
    tpi_buf_putc(out, '}');
}

static void put_warnings(tpi_buf *out, const tpi_mechanism *mechanism)
{
    put_key(out, "warnings");
    tpi_buf_putc(out, '[');
    for (const tpi_mechanism_warning *w = mechanism->warnings; w != NULL; w = w->next) {
        tpi_buf_puts(out, w == mechanism->warnings ? "{" : ",{");
        put_number(out, "line", w->line);
        put_text(out, "text", w->text);
        tpi_buf_putc(out, '}');
    }
    tpi_buf_putc(out, ']');
}

void motion_json_put(tpi_buf *out, const tpi_mechanism *mechanism)
{
    tpi_buf_putc(out, '{');
    put_text(out, "name", mechanism->name);
    put_text(out, "root", mechanism->links[mechanism->root].name);
    put_key(out, "links");
    for (unsigned i = 0; i < mechanism->link_count; i++) {
        tpi_buf_putc(out, i == 0 ? '[' : ',');
        put_link(out, mechanism, &mechanism->links[i]);
    }
    tpi_buf_putc(out, ']');
    put_key(out, "joints");
    for (unsigned i = 0; i < mechanism->joint_count; i++) {
        tpi_buf_putc(out, i == 0 ? '[' : ',');
        put_joint(out, mechanism, &mechanism->joints[i]);
    }
    tpi_buf_putc(out, ']');
    put_key(out, "frames");
    tpi_buf_putc(out, '[');
    for (unsigned i = 0; i < mechanism->frame_count; i++) {
        tpi_buf_puts(out, i == 0 ? "" : ",");
        put_frame(out, mechanism, &mechanism->frames[i]);
    }
    tpi_buf_putc(out, ']');
    put_warnings(out, mechanism);
    tpi_buf_puts(out, "}\n");
}
