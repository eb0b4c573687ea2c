/* looks.c - see looks.h. */
#include "sim/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inside.h"
#include "sim/maths.h"

/* ---- Colours and lamps ----------------------------------------------------------------------- */

uint32_t tpi_sim_look_colour(const tpi_sim *sim, tpi_sim_model model)
{
    static const uint32_t lively[] = {0xd1495bff, 0x2e86abff, 0x3c9d5eff, 0xe0952bff,
                                      0x7d5ba6ff, 0x1b998bff, 0xc2528bff, 0x8a6d3bff};
    static const uint32_t plain = 0x8c8579ff;
    const uint32_t tree = sim->tree_of[model];
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_member *member = sim_member_of(sim, model);
    const tpi_sim_kind kind = member->type->kind;

    if (member->traits.uncoloured && (kind == TPI_SIM_PLAIN || sim_is_driven(kind))) {
        return template->driver == TPI_SIM_NONE ? plain
                                                : lively[tree % (sizeof lively / sizeof lively[0])];
    }
    return tpi_sim_member_colour(sim, tree, model - sim->trees.model[tree]);
}

void tpi_sim_look_ground(const tpi_sim *sim, uint32_t *colour, double *ambient)
{
    *colour = sim->scene.floor;
    *ambient = sim->scene.ambient;
}

uint32_t tpi_sim_look_changes(const tpi_sim *sim)
{
    return sim->changes.colours;
}

uint32_t tpi_sim_look_drawings(const tpi_sim *sim)
{
    return sim->changes.sketches;
}

uint32_t tpi_sim_look_light_count(const tpi_sim *sim)
{
    return sim->beacons[SIM_LIGHTS].count;
}

tpi_sim_model tpi_sim_look_light(const tpi_sim *sim, uint32_t index)
{
    return sim->beacons[SIM_LIGHTS].models[index];
}

/* ---- The table ------------------------------------------------------------------------------- */

struct polygon {
    const struct sim_template *template; /* borrowed */
    uint32_t part, shape;
};

/* A template whose shapes are known. */
struct plan {
    const struct sim_template *template; /* borrowed; NULL for a free place */
    uint32_t first;                      /* of its members among all shapes of members */
};

/* A shape that is known; shapes with the same hash are looked at closely. */
struct known {
    uint64_t hash;
    uint32_t first, count; /* polygons */
    uint32_t next; /* 1 more than another shape in the same place of the table; 0 for none */
};

enum { KNOWN = 4096 }; /* places of the table of shapes */

struct tpi_sim_looks {
    const tpi_sim *sim;  /* borrowed */
    struct plan *plans;  /* owned: a hash table, while the table is made */
    size_t plan_mask;    /* its size less 1 */
    tpi_buf member_plan; /* owned: uint32_t, the shape of each member of the plans */
    tpi_buf polygons;    /* owned: struct polygon */
    tpi_buf known;       /* owned: struct known, of each shape */
    uint32_t places[KNOWN];
    uint32_t *shapes;    /* owned: of each model */
    tpi_sim_pose *poses; /* owned: of each model */
    tpi_sim_bounds bounds;
};

/* The template that a tree had when it was loaded. */
static const struct sim_template *base_of(const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];

    return template->own ? template->base : template;
}

static const struct polygon *polygon_at(const tpi_sim_looks *looks, uint32_t index)
{
    return (const struct polygon *)(const void *)looks->polygons.data + index;
}

static struct known *known_at(const tpi_sim_looks *looks, uint32_t shape)
{
    return (struct known *)(void *)looks->known.data + shape;
}

uint32_t tpi_sim_looks_polygon_count(const tpi_sim_looks *looks)
{
    return (uint32_t)(looks->polygons.length / sizeof(struct polygon));
}

uint32_t tpi_sim_looks_shape_count(const tpi_sim_looks *looks)
{
    return (uint32_t)(looks->known.length / sizeof(struct known));
}

/* Corner number i, in the frame of the model. */
static void corner(const struct polygon *p, uint32_t i, float xy[2])
{
    const struct sim_part *part = &p->template->parts[p->part];
    const struct sim_frame *place = &p->template->members[part->member].place;
    const double dx = p->template->vx[part->first + i] - place->x;
    const double dy = p->template->vy[part->first + i] - place->y;

    xy[0] = (float)(place->c * dx + place->s * dy);
    xy[1] = (float)(place->c * dy - place->s * dx);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t hash_of(const tpi_sim_looks *looks, uint32_t first, uint32_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    float xy[2];

    for (uint32_t i = first; i < first + count; i++) {
        const struct polygon *p = polygon_at(looks, i);
        const uint32_t corners = p->template->parts[p->part].count;
        hash = mix(hash, &corners, sizeof corners);
        for (uint32_t k = 0; k < corners; k++) {
            corner(p, k, xy);
            hash = mix(hash, xy, sizeof xy);
        }
    }
    return hash;
}

static bool same_polygon(const tpi_sim_looks *looks, uint32_t a, uint32_t b)
{
    const struct polygon *p = polygon_at(looks, a);
    const struct polygon *q = polygon_at(looks, b);
    tpi_sim_look_polygon one;
    tpi_sim_look_polygon other;
    float xy[2][2];

    tpi_sim_looks_polygon(looks, a, &one);
    tpi_sim_looks_polygon(looks, b, &other);
    bool same = one.count == other.count && one.part == other.part &&
                (float)one.z0 == (float)other.z0 && (float)one.z1 == (float)other.z1;
    for (uint32_t i = 0; same && i < one.count; i++) {
        corner(p, i, xy[0]);
        corner(q, i, xy[1]);
        same = xy[0][0] == xy[1][0] && xy[0][1] == xy[1][1];
    }
    return same;
}

static bool same_shape(const tpi_sim_looks *looks, const struct known *a, const struct known *b)
{
    bool same = a->hash == b->hash && a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++) {
        same = same_polygon(looks, a->first + i, b->first + i);
    }
    return same;
}

/* The shape of the polygons from `first` on: one that is known, and then they are dropped; or a new
 * one. */
static uint32_t enter_shape(tpi_sim_looks *looks, uint32_t first)
{
    struct known shape = {.first = first, .count = tpi_sim_looks_polygon_count(looks) - first};

    if (shape.count == 0 || looks->polygons.failed || looks->known.failed) {
        return TPI_SIM_NONE;
    }
    shape.hash = hash_of(looks, first, shape.count);
    uint32_t *place = &looks->places[shape.hash % KNOWN];
    for (uint32_t i = *place; i != 0; i = known_at(looks, i - 1)->next) {
        if (same_shape(looks, known_at(looks, i - 1), &shape)) {
            looks->polygons.length = first * sizeof(struct polygon);
            return i - 1;
        }
    }
    shape.next = *place;
    tpi_buf_put(&looks->known, &shape, sizeof shape);
    *place = tpi_sim_looks_shape_count(looks);
    return *place - 1;
}

/* One shape for each member with parts. */
static void add_shapes(tpi_sim_looks *looks, const struct sim_template *template)
{
    for (uint32_t member = 0; member < template->member_count; member++) {
        const uint32_t first = tpi_sim_looks_polygon_count(looks);
        const uint32_t next = tpi_sim_looks_shape_count(looks);
        for (uint32_t i = 0; i < template->part_count; i++) {
            const struct polygon polygon = {.template = template, .part = i, .shape = next};
            if (template->parts[i].member == member) {
                tpi_buf_put(&looks->polygons, &polygon, sizeof polygon);
            }
        }
        const uint32_t shape = enter_shape(looks, first);
        tpi_buf_put(&looks->member_plan, &shape, sizeof shape);
    }
}

/* Where the shapes of a template's members begin; they are added if they are new. */
static uint32_t plan_of(tpi_sim_looks *looks, const struct sim_template *template)
{
    size_t at = ((uintptr_t) template / sizeof *template) & looks->plan_mask;

    while (looks->plans[at].template != NULL && looks->plans[at].template != template) {
        at = (at + 1) & looks->plan_mask;
    }
    if (looks->plans[at].template == NULL) {
        looks->plans[at] =
            (struct plan){.template = template,
                          .first = (uint32_t)(looks->member_plan.length / sizeof(uint32_t))};
        add_shapes(looks, template);
    }
    return looks->plans[at].first;
}

/* A member where a template has it. What it stands on may be higher. */
static tpi_sim_pose member_pose(const struct sim_template *template, uint32_t index)
{
    const struct sim_member *member = &template->members[index];
    const struct sim_traits *parent = &template->members[member->parent].traits;
    tpi_sim_pose pose = member->local;

    pose.z += parent->stack_children ? parent->size[2] : 0;
    return pose;
}

static void enter_tree(tpi_sim_looks *looks, tpi_sim_model root)
{
    const tpi_sim *sim = looks->sim;
    const struct sim_template *template = base_of(sim, sim->tree_of[root]);
    const uint32_t first = plan_of(looks, template);

    for (uint32_t i = 0; i < template->member_count && !looks->member_plan.failed; i++) {
        memcpy(&looks->shapes[root + i], looks->member_plan.data + (first + i) * sizeof(uint32_t),
               sizeof(uint32_t));
        looks->poses[root + i] = i == 0 ? tpi_sim_global_pose(sim, root) : member_pose(template, i);
    }
}

static tp_status take_memory(tpi_sim_looks *looks)
{
    const tpi_sim *sim = looks->sim;
    size_t size = 16;

    while (size < 2 * (size_t)sim->trees.count) {
        size *= 2;
    }
    looks->plan_mask = size - 1;
    looks->plans = calloc(size, sizeof *looks->plans);
    looks->shapes = calloc((size_t)sim->model_count + 1, sizeof *looks->shapes);
    looks->poses = calloc((size_t)sim->model_count + 1, sizeof *looks->poses);
    return looks->plans == NULL || looks->shapes == NULL || looks->poses == NULL ? TP_E_NOMEM
                                                                                 : TP_OK;
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

static void include(tpi_sim_bounds *bounds, double x, double y)
{
    bounds->x0 = fmin(bounds->x0, x);
    bounds->y0 = fmin(bounds->y0, y);
    bounds->x1 = fmax(bounds->x1, x);
    bounds->y1 = fmax(bounds->y1, y);
}

static void include_tree(tpi_sim_bounds *bounds, const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    const double c = sim->trees.c[tree];
    const double s = sim->trees.s[tree];

    for (uint32_t i = 0; i < template->vertex_count; i++) {
        include(bounds, sim->trees.x[tree] + c * template->vx[i] - s * template->vy[i],
                sim->trees.y[tree] + s * template->vx[i] + c * template->vy[i]);
    }
}

static void include_floor(tpi_sim_bounds *bounds, const tpi_sim *sim, tpi_sim_model model)
{
    const struct sim_traits *traits = &sim_member_of(sim, model)->traits;
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, model);
    const tpi_sim_pose middle = tpi_sim_compose(&pose, &traits->origin);
    const double c = fabs(cos(middle.a)) / 2;
    const double s = fabs(sin(middle.a)) / 2;
    const double w = c * traits->size[0] + s * traits->size[1];
    const double h = s * traits->size[0] + c * traits->size[1];

    include(bounds, middle.x - w, middle.y - h);
    include(bounds, middle.x + w, middle.y + h);
}

static void find_bounds(tpi_sim_looks *looks)
{
    const tpi_sim *sim = looks->sim;
    const struct sim_beacons *floors = &sim->beacons[SIM_FLOORS];
    tpi_sim_bounds *bounds = &looks->bounds;

    *bounds = (tpi_sim_bounds){HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        include_tree(bounds, sim, i);
    }
    for (uint32_t i = 0; i < floors->count; i++) {
        include_floor(bounds, sim, floors->models[i]);
    }
    if (bounds->x0 > bounds->x1) { /* nothing has a body */
        *bounds = (tpi_sim_bounds){-5, -4, 5, 4};
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_sim_looks_create(tpi_sim_looks **out, const tpi_sim *sim, tp_error *err)
{
    tpi_sim_looks *looks = calloc(1, sizeof *looks);
    tp_status status = TP_E_NOMEM;

    if (looks != NULL) {
        looks->sim = sim;
        status = take_memory(looks);
    }
    for (tpi_sim_model root = 0; status == TP_OK && root < sim->model_count;
         root += sim_member_of(sim, root)->family) {
        enter_tree(looks, root);
    }
    if (status == TP_OK &&
        (looks->polygons.failed || looks->known.failed || looks->member_plan.failed)) {
        status = TP_E_NOMEM;
    }
    if (status != TP_OK) {
        tpi_sim_looks_destroy(looks);
        return tp_fail(err, status, "out of memory");
    }
    find_bounds(looks);
    free(looks->plans);
    looks->plans = NULL;
    *out = looks;
    return TP_OK;
}

void tpi_sim_looks_destroy(tpi_sim_looks *looks)
{
    if (looks == NULL) {
        return;
    }
    tpi_buf_fini(&looks->member_plan);
    tpi_buf_fini(&looks->polygons);
    tpi_buf_fini(&looks->known);
    free(looks->plans);
    free(looks->shapes);
    free(looks->poses);
    free(looks);
}

/* ---- Models ---------------------------------------------------------------------------------- */

tpi_sim_bounds tpi_sim_looks_bounds(const tpi_sim_looks *looks)
{
    return looks->bounds;
}

uint32_t tpi_sim_looks_shape(const tpi_sim_looks *looks, tpi_sim_model model)
{
    return looks->shapes[model];
}

tpi_sim_pose tpi_sim_looks_pose(const tpi_sim_looks *looks, tpi_sim_model model)
{
    return looks->poses[model];
}

tpi_sim_model tpi_sim_looks_root(const tpi_sim_looks *looks, tpi_sim_model model)
{
    return looks->sim->trees.model[looks->sim->tree_of[model]];
}

bool tpi_sim_looks_is_robot(const tpi_sim_looks *looks, tpi_sim_model model)
{
    const tpi_sim *sim = looks->sim;
    const uint32_t tree = sim->tree_of[model];

    return sim->trees.model[tree] == model && sim->trees.template[tree] -> driver != TPI_SIM_NONE;
}

bool tpi_sim_looks_drags(const tpi_sim_looks *looks, tpi_sim_model model)
{
    const struct sim_member *member = sim_member_of(looks->sim, model);
    const uint32_t tree = looks->sim->tree_of[model];
    const double width = looks->bounds.x1 - looks->bounds.x0;
    const double height = looks->bounds.y1 - looks->bounds.y0;

    if (member->parent != TPI_SIM_NONE || member->type->kind == TPI_SIM_FLOOR) {
        return false;
    }
    return looks->sim->trees.template[tree] -> moves || (member->traits.size[0] < width / 2 &&
                                                         member->traits.size[1] < height / 2);
}

/* ---- Polygons -------------------------------------------------------------------------------- */

void tpi_sim_looks_polygon(const tpi_sim_looks *looks, uint32_t index,
                           tpi_sim_look_polygon *polygon)
{
    const struct polygon *p = polygon_at(looks, index);
    const struct sim_part *part = &p->template->parts[p->part];
    const double z = p->template->members[part->member].place.z;

    *polygon = (tpi_sim_look_polygon){.shape = p->shape,
                                      .part = part->role,
                                      .count = part->count,
                                      .z0 = part->z0 - z,
                                      .z1 = part->z1 - z};
}

void tpi_sim_looks_corners(const tpi_sim_looks *looks, uint32_t index, float *xy)
{
    const struct polygon *p = polygon_at(looks, index);
    const uint32_t count = p->template->parts[p->part].count;

    for (uint32_t i = 0; i < count; i++) {
        corner(p, i, &xy[(size_t)2 * i]);
    }
}

/* ---- What has moved -------------------------------------------------------------------------- */

static void add_moved(const tpi_sim_looks *looks, tpi_sim_model model, const tpi_sim_pose *pose,
                      tpi_buf *out)
{
    const tpi_sim_pose *usual = &looks->poses[model];
    const tpi_sim_moved moved = {.model = model, .pose = *pose};

    if (pose->x != usual->x || pose->y != usual->y || pose->z != usual->z || pose->a != usual->a) {
        tpi_buf_put(out, &moved, sizeof moved);
    }
}

/* Once for all polygons of a part of one model. */
static void add_shifts(const struct sim_template *template, tpi_sim_model root, tpi_buf *out)
{
    const struct sim_part *last = NULL;

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        const double turned = template->members[part->member].traits.origin.a;
        if (part->role == 0 || (part->shift_y == 0 && part->shift_z == 0) ||
            (last != NULL && last->member == part->member && last->role == part->role)) {
            continue;
        }
        const tpi_sim_shifted shifted = {.model = root + part->member,
                                         .part = part->role,
                                         .x = -sin(turned) * part->shift_y,
                                         .y = cos(turned) * part->shift_y,
                                         .z = part->shift_z};
        tpi_buf_put(out, &shifted, sizeof shifted);
        last = part;
    }
}

void tpi_sim_looks_moved(const tpi_sim_looks *looks, tpi_sim_model root, tpi_buf *moved,
                         tpi_buf *shifted)
{
    const tpi_sim *sim = looks->sim;
    const struct sim_template *template = sim->trees.template[sim->tree_of[root]];
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, root);

    add_moved(looks, root, &pose, moved);
    if (!template->own) { /* all of its members are where the file has them */
        return;
    }
    for (uint32_t i = 1; i < template->member_count; i++) {
        const tpi_sim_pose member = member_pose(template, i);
        add_moved(looks, root + i, &member, moved);
    }
    add_shifts(template, root, shifted);
}
