/* template.c - what a tree that is being read consists of, and the template that it becomes. */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/world/world.h"

struct sim_member *tpi_sim_draft_member(const struct sim_draft *draft, uint32_t index)
{
    return (struct sim_member *)(void *)draft->members.data + index;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static uint32_t flags_of(const struct sim_traits *traits, const struct sim_polygon *polygon)
{
    uint32_t flags = SIM_ANY;

    flags |= traits->ranger_return >= 0 ? SIM_VISIBLE : 0;
    flags |= traits->obstacle ? SIM_OBSTACLE : 0;
    flags |= traits->gripper_return ? SIM_GRIPPABLE : 0;
    flags |= polygon->simple ? SIM_ONE_SIDED : 0;
    return flags;
}

/* Add a corner, given in the model's frame. */
static void put_corner(struct sim_draft *draft, const struct sim_frame *frame,
                       const struct sim_point *point)
{
    const double x = frame->x + frame->c * point->x - frame->s * point->y;
    const double y = frame->y + frame->s * point->x + frame->c * point->y;

    tpi_buf_put(&draft->vx, &x, sizeof x);
    tpi_buf_put(&draft->vy, &y, sizeof y);
}

/* A circle that holds the part, round the middle of its corners. */
static void put_circle(const struct sim_draft *draft, struct sim_part *part)
{
    const double *vx = (const double *)(const void *)draft->vx.data + part->first;
    const double *vy = (const double *)(const void *)draft->vy.data + part->first;
    double most = 0;

    for (uint32_t i = 0; i < part->count; i++) {
        part->x += vx[i] / part->count;
        part->y += vy[i] / part->count;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        most = fmax(most, hypot(vx[i] - part->x, vy[i] - part->y));
    }
    part->radius = most;
}

/* A polygon of loader->shape becomes a part of the tree. */
static void put_part(struct sim_loader *loader, uint32_t member, const struct sim_frame *body,
                     const struct sim_polygon *polygon)
{
    struct sim_draft *draft = &loader->draft;
    const struct sim_traits *traits = &tpi_sim_draft_member(draft, member)->traits;
    struct sim_part part;

    memset(&part, 0, sizeof part);
    part.z0 = body->z + polygon->z0;
    part.z1 = body->z + polygon->z1;
    part.first = (uint32_t)(draft->vx.length / sizeof(double));
    part.count = polygon->count;
    part.member = member;
    part.flags = flags_of(traits, polygon);
    part.ranger_return = traits->ranger_return;
    part.role = polygon->role;
    for (uint32_t i = 0; i <= polygon->count; i++) { /* the first comes again at the end */
        put_corner(draft, body,
                   tpi_sim_shape_point(&loader->shape, polygon->first + i % polygon->count));
    }
    if (draft->vx.failed || draft->vy.failed) {
        return;
    }
    put_circle(draft, &part);
    tpi_buf_put(&draft->parts, &part, sizeof part);
}

tp_status tpi_sim_put_parts(struct sim_loader *loader, uint32_t member)
{
    struct sim_draft *draft = &loader->draft;
    const struct sim_frame origin =
        sim_frame_of(&tpi_sim_draft_member(draft, member)->traits.origin);
    const struct sim_frame body =
        sim_frame_join(&tpi_sim_draft_member(draft, member)->place, &origin);

    for (uint32_t i = 0; i < tpi_sim_shape_count(&loader->shape); i++) {
        put_part(loader, member, &body, tpi_sim_shape_polygon(&loader->shape, i));
    }
    return draft->parts.failed || draft->vx.failed || draft->vy.failed ? tpi_sim_no_memory(loader)
                                                                       : TP_OK;
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* What the settings mean for their kind, which is worked out once. NULL if memory ran out. */
static const void *config_of(struct sim_loader *loader, const tpi_sim_type *type)
{
    const tpi_buf *settings = &loader->settings;
    const void *own = settings->data + sizeof type;
    void **slot = tpi_sim_intern_slot(&loader->interner, settings->data, settings->length);

    if (slot == NULL || *slot != NULL) {
        return slot == NULL ? NULL : *slot;
    }
    tpi_buf_clear(&loader->config);
    if (type->prepare != NULL) {
        type->prepare(own, settings->length - sizeof type, &loader->config);
    } else {
        tpi_buf_put(&loader->config, own, settings->length - sizeof type);
    }
    if (loader->config.failed) {
        return NULL;
    }
    *slot = tpi_arena_alloc(&loader->sim->arena, loader->config.length + 1);
    if (*slot != NULL && loader->config.length > 0) {
        memcpy(*slot, loader->config.data, loader->config.length);
    }
    return *slot;
}

static tp_status read_settings(struct sim_loader *loader, tpi_cfg_section *section,
                               const tpi_sim_type *type)
{
    tp_status status = TP_OK;

    tpi_buf_clear(&loader->settings);
    tpi_buf_put(&loader->settings, &type, sizeof type); /* the same numbers of two kinds differ */
    if (type->read != NULL) {
        status = type->read(&loader->reader, section, &loader->settings);
    }
    if (status == TP_E_NOMEM || (status == TP_OK && loader->settings.failed)) {
        return tpi_sim_no_memory(loader);
    }
    return status;
}

static uint32_t padded(size_t size)
{
    return (uint32_t)((size + 15) / 16 * 16);
}

tp_status tpi_sim_put_device(struct sim_loader *loader, tpi_cfg_section *section, uint32_t member,
                             const tpi_sim_type *type, uint32_t *index)
{
    struct sim_draft *draft = &loader->draft;
    struct sim_device device;
    tp_status status = read_settings(loader, section, type);

    if (status != TP_OK) {
        return status;
    }
    memset(&device, 0, sizeof device);
    device.type = type;
    device.config = config_of(loader, type);
    if (device.config == NULL) {
        return tpi_sim_no_memory(loader);
    }
    device.member = member;
    device.state = draft->state_size;
    device.samples = draft->sample_count;
    device.sample_count = type->sample_count == NULL ? 0 : type->sample_count(device.config);
    draft->state_size += padded(type->state_size);
    draft->sample_count += device.sample_count;
    draft->moves |= type->moves;
    draft->jointed |= type->joint != NULL;
    *index = (uint32_t)(draft->devices.length / sizeof device);
    tpi_buf_put(&draft->devices, &device, sizeof device);
    return draft->devices.failed ? tpi_sim_no_memory(loader) : TP_OK;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static void *intern(struct sim_loader *loader, const tpi_buf *list, size_t size, uint32_t *count)
{
    *count = (uint32_t)(list->length / size);
    return tpi_sim_intern(&loader->interner, tpi_buf_text(list), list->length);
}

/* The tree that was read becomes a template, or the one that it equals. NULL if memory ran out. */
struct sim_template *tpi_sim_make_plan(struct sim_loader *loader)
{
    struct sim_draft *draft = &loader->draft;
    struct sim_template template;

    memset(&template, 0, sizeof template);
    template.members =
        intern(loader, &draft->members, sizeof(struct sim_member), &template.member_count);
    template.parts = intern(loader, &draft->parts, sizeof(struct sim_part), &template.part_count);
    template.vx = intern(loader, &draft->vx, sizeof(double), &template.vertex_count);
    template.vy = intern(loader, &draft->vy, sizeof(double), &template.vertex_count);
    template.devices =
        intern(loader, &draft->devices, sizeof(struct sim_device), &template.device_count);
    if (template.members == NULL || template.parts == NULL || template.vx == NULL ||
        template.vy == NULL || template.devices == NULL) {
        return NULL;
    }
    template.state_size = draft->state_size;
    template.sample_count = draft->sample_count;
    template.control = draft->control;
    template.foreign = draft->foreign;
    template.moves = draft->moves;
    template.jointed = draft->jointed;
    template.driver =
        sim_is_driven(template.members[0].type->kind) ? template.members[0].device : TPI_SIM_NONE;
    tpi_sim_template_measure(&template);
    return tpi_sim_intern(&loader->interner, &template, sizeof template);
}

void tpi_sim_draft_clear(struct sim_draft *draft)
{
    tpi_buf_clear(&draft->members);
    tpi_buf_clear(&draft->parts);
    tpi_buf_clear(&draft->vx);
    tpi_buf_clear(&draft->vy);
    tpi_buf_clear(&draft->devices);
    draft->state_size = 0;
    draft->sample_count = 0;
    draft->control = 0;
    draft->control_value = NULL;
    draft->foreign = 0;
    draft->moves = false;
    draft->jointed = false;
}

void tpi_sim_draft_fini(struct sim_draft *draft)
{
    tpi_buf_fini(&draft->members);
    tpi_buf_fini(&draft->parts);
    tpi_buf_fini(&draft->vx);
    tpi_buf_fini(&draft->vy);
    tpi_buf_fini(&draft->devices);
}
