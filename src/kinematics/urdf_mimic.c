/*
 * urdf_mimic.c - joints of a URDF file that follow another joint; see urdf.h.
 *
 * A file may have mimics of mimics. In a mechanism every such dof follows a free dof, so that no
 * later calculation has to walk along a row of them.
 */
#include "kinematics/urdf.h"

/* The only dof of a joint of the file; -1 if it has none or several. */
static int only_dof(const tpi_urdf_joint *joint)
{
    return joint->kind == TPI_URDF_FIXED || joint->kind >= TPI_URDF_PLANAR ? -1
                                                                           : (int)joint->first_dof;
}

static tp_status build_mimic(tpi_urdf *urdf, const tpi_urdf_joint *joint)
{
    const tpi_urdf_joint *master = tpi_urdf_joint_named(urdf, joint->mimics, strlen(joint->mimics));
    const int own = only_dof(joint);
    tpi_dof *dofs = urdf->mechanism->dofs;

    if (master == NULL) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "mimic: there is no joint %.60s", joint->mimics);
    }
    if (own < 0) {
        return TP_OK; /* a fixed joint follows nothing */
    }
    if (only_dof(master) < 0) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "mimic: joint %.60s does not have one dof", joint->mimics);
    }
    dofs[own].master = only_dof(master);
    dofs[own].multiplier = joint->multiplier;
    dofs[own].offset = joint->offset;
    dofs[own].servo = 0;
    return TP_OK;
}

/* Make the master of a dof one that mimics no other. */
static tp_status find_free_master(tpi_urdf *urdf, const tpi_urdf_joint *joint)
{
    tpi_dof *dofs = urdf->mechanism->dofs, *own = &dofs[only_dof(joint)];
    unsigned steps = 0;

    while (dofs[own->master].master >= 0) {
        const tpi_dof *master = &dofs[own->master];

        if (master == own || steps++ > urdf->mechanism->dof_count) {
            return tpi_urdf_fail(urdf, joint->line, "joint", joint->name, "it mimics itself");
        }
        own->offset += own->multiplier * master->offset;
        own->multiplier *= master->multiplier;
        own->master = master->master;
    }
    if (!(fabs(own->multiplier) < 1e9) || !(fabs(own->offset) < 1e9)) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "the factors of the mimics that it follows are too large");
    }
    return TP_OK;
}

/* The limits of a joint that follows bound its master, unless nothing would be left of its way. */
static void check_way(tpi_urdf *urdf, const tpi_urdf_joint *joint)
{
    const tpi_dof *own = &urdf->mechanism->dofs[only_dof(joint)];
    const tpi_dof *master = &urdf->mechanism->dofs[own->master];

    double way[2];

    if (own->multiplier != 0 && master->lower < master->upper &&
        !tpi_dof_way(own, master->lower, master->upper, way)) {
        tpi_urdf_warn(urdf, joint->line,
                      "joint %s: with its limits the joint that it follows could not move: they "
                      "are ignored",
                      joint->name);
    }
}

tp_status tpi_urdf_build_mimics(tpi_urdf *urdf)
{
    tp_status status = TP_OK;

    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL && status == TP_OK;
         joint = joint->next) {
        status = joint->mimics != NULL ? build_mimic(urdf, joint) : TP_OK;
    }
    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL && status == TP_OK;
         joint = joint->next) {
        if (joint->mimics != NULL && only_dof(joint) >= 0) {
            status = find_free_master(urdf, joint);
        }
    }
    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL && status == TP_OK;
         joint = joint->next) {
        if (joint->mimics != NULL && only_dof(joint) >= 0) {
            check_way(urdf, joint);
        }
    }
    return status;
}
