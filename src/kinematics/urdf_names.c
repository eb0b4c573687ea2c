/* urdf_names.c - finds links and joints of a URDF file by name; see urdf.h.
 *
 * The names are sorted, so that a file with thousands of links is read in short time. */
#include <stdlib.h>

#include "kinematics/urdf.h"

/* By name; of the same name the one of the earlier line first. */
static int compare(const void *a, const void *b)
{
    const tpi_urdf_name *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static tp_status sort(tpi_urdf *urdf, tpi_urdf_name *names, unsigned count, const char *element)
{
    qsort(names, count, sizeof *names, compare);
    for (unsigned i = 1; i < count; i++) {
        if (strcmp(names[i - 1].name, names[i].name) == 0) {
            return tpi_urdf_fail(urdf, names[i].line, element, names[i].name,
                                 "line %u has a %s with this name", names[i - 1].line, element);
        }
    }
    return TP_OK;
}

tp_status tpi_urdf_sort_names(tpi_urdf *urdf)
{
    tpi_arena *arena = &urdf->mechanism->arena;
    tpi_urdf_name *links = tpi_arena_array(arena, urdf->link_count + 1u, sizeof *links);
    tpi_urdf_name *joints = tpi_arena_array(arena, urdf->joint_count + 1u, sizeof *joints);
    tpi_urdf_name *frames = tpi_arena_array(arena, urdf->frame_count + 1u, sizeof *frames);
    unsigned n = 0;
    tp_status status;

    if (links == NULL || joints == NULL || frames == NULL) {
        return tpi_urdf_no_memory(urdf);
    }
    for (tpi_urdf_link *link = urdf->links; link != NULL; link = link->next) {
        links[n++] = (tpi_urdf_name){link->name, link->line, link};
    }
    n = 0;
    for (tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next) {
        joints[n++] = (tpi_urdf_name){joint->name, joint->line, joint};
    }
    n = 0;
    for (tpi_urdf_frame *frame = urdf->frames; frame != NULL; frame = frame->next) {
        frames[n++] = (tpi_urdf_name){frame->name, frame->line, frame};
    }
    urdf->link_names = links;
    urdf->joint_names = joints;
    status = sort(urdf, links, urdf->link_count, "link");
    if (status == TP_OK) {
        status = sort(urdf, joints, urdf->joint_count, "joint");
    }
    return status == TP_OK ? sort(urdf, frames, urdf->frame_count, "frame") : status;
}

/* The element whose name has these characters, among sorted names; NULL if there is none. */
static void *find(const tpi_urdf_name *names, unsigned count, const char *name, size_t length)
{
    unsigned from = 0, to = count;

    while (from < to) {
        const unsigned middle = from + (to - from) / 2;
        const int order = strncmp(names[middle].name, name, length);

        if (order == 0 && names[middle].name[length] == 0) {
            return names[middle].element;
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return NULL;
}

tpi_urdf_link *tpi_urdf_link_named(const tpi_urdf *urdf, const char *name)
{
    return find(urdf->link_names, urdf->link_count, name, strlen(name));
}

tpi_urdf_joint *tpi_urdf_joint_named(const tpi_urdf *urdf, const char *name, size_t length)
{
    return find(urdf->joint_names, urdf->joint_count, name, length);
}
