/* mechanism.c - looking things up in a mechanism; see mechanism.h. */
#include "kinematics/mechanism.h"

#include <math.h>
#include <stdlib.h>

void tpi_mechanism_destroy(tpi_mechanism *mechanism)
{
    if (mechanism != NULL) {
        tpi_arena_fini(&mechanism->arena);
        free(mechanism);
    }
}

int tpi_mechanism_joint(const tpi_mechanism *mechanism, const char *name)
{
    for (unsigned i = 0; i < mechanism->joint_count; i++) {
        if (strcmp(mechanism->joints[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int tpi_mechanism_link(const tpi_mechanism *mechanism, const char *name)
{
    for (unsigned i = 0; i < mechanism->link_count; i++) {
        if (strcmp(mechanism->links[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int tpi_mechanism_frame(const tpi_mechanism *mechanism, const char *name)
{
    for (unsigned i = 0; i < mechanism->frame_count; i++) {
        if (strcmp(mechanism->frames[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const tpi_joint *tpi_mechanism_joint_of(const tpi_mechanism *mechanism, unsigned dof)
{
    const tpi_joint *joint = mechanism->joints;

    while (dof < joint->first_dof || dof >= joint->first_dof + joint->dof_count) {
        joint++;
    }
    return joint;
}

void tpi_mechanism_follow(const tpi_mechanism *mechanism, double *values)
{
    for (unsigned i = 0; i < mechanism->dof_count; i++) {
        const tpi_dof *dof = &mechanism->dofs[i];
        if (dof->master >= 0) {
            values[i] = dof->multiplier * values[dof->master] + dof->offset;
        }
    }
}

bool tpi_dof_way(const tpi_dof *follower, double lower, double upper, double way[2])
{
    const double a = (follower->lower - follower->offset) / follower->multiplier;
    const double b = (follower->upper - follower->offset) / follower->multiplier;

    way[0] = fmax(lower, fmin(a, b));
    way[1] = fmin(upper, fmax(a, b));
    return way[0] < way[1];
}
