/*
 * contact.h - bodies that touch, or stand in each other, before they move.
 *
 * In motion bodies keep SIM_GAP apart, so the sweep never has to ask on which side of a wall a body
 * is. One that was put somewhere may be nearer, or in something; that is a flag of its tree, and it
 * is treated with care until it is free:
 *
 * - It *touches* what it is nearer to than SIM_CLOSE, or in by no more than SIM_TOLERANCE. To the
 *   sweep its sides are moved inwards by half the gap. So there is a distance, though less than the
 *   gap: it may go away and along, and no nearer.
 * - It *overlaps* what it is deeper in. To the sweep it is smaller about its middle, and so just
 *   touches: it stays on the side where its middle is, may leave that way, and gets no deeper. Two
 *   bodies that move are both smaller; one that has room within the other is so alone.
 * - It is *lodged* where its middle is within something that has no room for it, as in a thin wall.
 *   Then the sides nearest to the middle let it go.
 *
 * Shapes are hollow: what is wholly inside of another, and does not touch it, is just near it.
 */
#ifndef TROUPE_SIM_MOVE_CONTACT_H
#define TROUPE_SIM_MOVE_CONTACT_H

#include "sim/move/sweep.h"

/* Rounding of poses in single precision, some metres away, is below this; what anybody measures is
 * above. */
#define SIM_TOLERANCE 1e-6
#define SIM_CLOSE (SIM_GAP / 2)

/* A corner goes inwards by no more than so many times as much as the sides next to it. */
#define SIM_INSET_MOST 1.9

/* How much a check may still cost, counted in edges of others that are compared. Where a check
 * takes one, NULL is no limit. A check that has used it up gives no answer. */
struct sim_effort {
    uint64_t left;
    bool used_up;
};

/* Spend some of it; false if it is used up. */
static inline bool sim_effort_spend(struct sim_effort *effort, uint64_t edges)
{
    if (effort == NULL) {
        return true;
    }
    if (effort->left < edges) {
        effort->used_up = true;
        effort->left = 0;
        return false;
    }
    effort->left -= edges;
    return true;
}

/* How much of a body the sweep looks at. */
enum { SIM_KEPT_CORNERS = 16 };

struct sim_fit {
    double x, y;  /* middle, in the template's frame */
    double scale; /* about the middle */
    double inset; /* metres that all sides are moved inwards; only with scale 1; may be negative */
    /* corners of the template, if it has no more and they have been kept */
    bool kept;
    double vx[SIM_KEPT_CORNERS], vy[SIM_KEPT_CORNERS];
};

/* The middle of a body, in its template's frame, and how far its outline is away from there: what
 * of it is nearest in the part that the middle is of, and what is farthest in all. */
struct sim_middle {
    double x, y;
    double narrow, wide;
};

/* How walls hold a body that may touch some. */
struct sim_hold {
    const tpi_sim *sim;          /* borrowed */
    const struct sim_body *body; /* borrowed */
    struct sim_middle middle;
    double x, y;             /* the middle, in the world */
    uint32_t lodged;         /* the tree that it is lodged in; TPI_SIM_NONE for none */
    double within;           /* its walls that are as near to the middle let the body go */
    struct sim_fit touching; /* what walls hold of it that it does not overlap */
};

void tpi_sim_hold_init(struct sim_hold *hold, const tpi_sim *sim, const struct sim_body *body,
                       struct sim_effort *effort);

/* What of the body a wall holds; NULL if it lets the body go. `fit` is room for the answer. */
const struct sim_fit *tpi_sim_hold_wall(const struct sim_hold *hold, const struct sim_wall *wall,
                                        struct sim_fit *fit);

/* What of two bodies holds the other; false if they let each other go. Given in the order of their
 * keys, so that the result is the same for both. */
bool tpi_sim_hold_pair(const struct sim_body *a, const struct sim_body *b, struct sim_fit *fit_a,
                       struct sim_fit *fit_b);

/* Whether the middle of one of two bodies is within the other, which has no room for it. */
bool tpi_sim_is_lodged(const struct sim_body *a, const struct sim_body *b);

/* A corner of a part, in the template's frame, as the fit has it. */
void tpi_sim_fit_corner(const struct sim_fit *fit, const struct sim_template *template,
                        const struct sim_part *part, uint32_t corner, double *x, double *y);

/* ---- overlap.c ------------------------------------------------------------------------------- */

/* Whether two bodies touch or overlap. */
bool tpi_sim_is_close(const struct sim_body *a, const struct sim_body *b);

/* Whether they overlap; given in the order of their keys. */
bool tpi_sim_overlap(const struct sim_body *a, const struct sim_body *b);

/* Whether a body touches or overlaps a wall. */
bool tpi_sim_is_close_to_walls(const struct sim_walls *walls, const struct sim_body *body,
                               struct sim_effort *effort);

/* A tree whose walls the body overlaps; TPI_SIM_NONE if there is none. */
uint32_t tpi_sim_overlap_walls(const tpi_sim *sim, const struct sim_body *body,
                               struct sim_effort *effort);

/* Whether the body overlaps one wall. */
bool tpi_sim_is_in_wall(const struct sim_body *body, const struct sim_wall *wall);

/* Whether the body overlaps any wall of a tree. */
bool tpi_sim_is_in_tree(const struct sim_walls *walls, const struct sim_body *body, uint32_t tree,
                        struct sim_effort *effort);

/* ---- Walls near a place ---------------------------------------------------------------------- */

/* The cells of the walls' grid in a square round a place. A wall is in the list of every cell that
 * it touches, so that the lists together may be longer than all walls are. */
struct sim_cells {
    uint32_t left, right, bottom, top; /* `right` and `top` belong to them */
    uint64_t entries;                  /* in their lists */
};

struct sim_cells tpi_sim_cells_round(const struct sim_walls *walls, double x, double y,
                                     double radius);

/* The first wall of this tree or a later one. Walls are in the order of trees. */
uint32_t tpi_sim_first_wall(const struct sim_walls *walls, uint32_t tree);

/* ---- Heights --------------------------------------------------------------------------------- */

/* Whether two parts are in each other's way: solid, and at the same height. */
static inline bool sim_parts_meet(const struct sim_body *a, const struct sim_part *p,
                                  const struct sim_body *b, const struct sim_part *q)
{
    return (p->flags & q->flags & SIM_OBSTACLE) != 0 && a->z + p->z0 <= b->z + q->z1 &&
           b->z + q->z0 <= a->z + p->z1;
}

static inline bool sim_wall_meets(const struct sim_body *body, const struct sim_part *part,
                                  const struct sim_wall *wall)
{
    return (part->flags & wall->flags & SIM_OBSTACLE) != 0 && body->z + part->z0 <= wall->z1 &&
           wall->z0 <= body->z + part->z1;
}

#endif
