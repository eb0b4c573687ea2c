/* urdf_fuzz.c - any text as a URDF file: it is refused with its place, or it is a tree whose every
 * number can be calculated with. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "kinematics/mechanism.h"

enum { MOST_CHAINS = 20 };

static void check_dofs(const tpi_mechanism *m)
{
    fuzz_require(m->dof_count <= TPI_MOST_DOFS, "too many dofs");
    for (unsigned i = 0; i < m->dof_count; i++) {
        const tpi_dof *dof = &m->dofs[i];
        const double length = sqrt(tpi_dot3(dof->axis, dof->axis));

        fuzz_require(fabs(length - 1) < 1e-9, "an axis that is no unit vector");
        fuzz_require(dof->lower <= dof->upper && dof->lower < (double)INFINITY &&
                         dof->upper > -(double)INFINITY,
                     "limits without a position");
        fuzz_require(dof->velocity > 0 && dof->force > 0 && dof->acceleration > 0,
                     "a limit that stops everything");
        fuzz_require(dof->master < (int)m->dof_count &&
                         (dof->master < 0 || m->dofs[dof->master].master < 0),
                     "a master that is not free");
        fuzz_require(isfinite(dof->multiplier) && isfinite(dof->offset), "a factor that is none");
    }
}

/* Joint 0 is in the world; each other link hangs on a joint that names it. */
static void check_tree(const tpi_mechanism *m)
{
    unsigned dofs = 0;

    fuzz_require(m->link_count == m->joint_count, "links and joints that are no tree");
    fuzz_require(m->joints[0].parent == TPI_WORLD && m->joints[0].child == m->root, "no root");
    for (unsigned i = 0; i < m->joint_count; i++) {
        const tpi_joint *joint = &m->joints[i];

        fuzz_require(m->links[joint->child].joint == (int)i, "a link with another parent");
        fuzz_require(joint->dof_count <= TPI_JOINT_DOFS && joint->first_dof == dofs,
                     "dofs that are not in a row");
        fuzz_require(tpi_mechanism_joint(m, joint->name) == (int)i, "a name that is there twice");
        dofs += joint->dof_count;
    }
    fuzz_require(dofs == m->dof_count, "a dof without a joint");
    for (unsigned i = 0; i < m->frame_count; i++) {
        fuzz_require(m->frames[i].link >= 0 && m->frames[i].link < (int)m->link_count,
                     "a frame on no link");
    }
}

static void check_chain(const tpi_mechanism *m, int link)
{
    static tpi_chain chain;
    double values[TPI_MOST_DOFS] = {0}, jacobian[6 * TPI_CHAIN_DOFS];
    const tpi_inverse_options few = {.restarts = 1, .iterations = 3};
    tpi_spatial tip;

    if (tpi_chain_init(&chain, m, link, NULL, NULL) != TP_OK) {
        return;
    }
    for (unsigned i = 0; i < m->dof_count; i++) {
        values[i] = 0.1 * (i % 7);
    }
    tpi_mechanism_follow(m, values);
    tpi_chain_jacobian(&chain, values, jacobian, &tip);
    for (int i = 0; i < 9; i++) {
        fuzz_require(fabs(tip.r[i]) < 1 + 1e-6, "a rotation that is none");
    }
    fuzz_require(isfinite(tip.p[0] + tip.p[1] + tip.p[2]), "a tip that is nowhere");
    tpi_chain_inverse(&chain, &tip, values, &few);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_mechanism *m = NULL;
    tp_error err = {0};

    if (tpi_urdf_read(&m, (const char *)data, size, "x.urdf", &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "x.urdf:", 7) == 0, "an error without its place");
        return 0;
    }
    check_dofs(m);
    check_tree(m);
    for (unsigned i = 0; i < m->link_count && i < MOST_CHAINS; i++) {
        check_chain(m, (int)i);
    }
    tpi_mechanism_destroy(m);
    return 0;
}
