/*
 * frames_list.c - all frames of a hub at once, parents before their children.
 *
 * There may be very many, and the loop waits meanwhile: each name is looked up in a table, and each
 * way up to a root is gone once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"
#include "troupe/front.h"

/* A frame that may be listed. */
struct node {
    unsigned robot;
    const char *name;        /* borrowed from a device */
    const tp_device *device; /* borrowed: the first one with this frame; NULL for a root */
    struct node *parent;     /* NULL for a root */
    struct node *below;      /* the one that the way up came from */
    bool seen;               /* listed, or a way up has come by */
    bool listed;
};

struct listing {
    struct node *nodes; /* owned: those of the devices, then the roots */
    size_t count;
    struct node **slots;   /* owned: the nodes by robot and name */
    size_t size;           /* a power of two, at least twice as many as there can be nodes */
    tp_frame_info *frames; /* owned */
    uint32_t listed;
};

static bool begin(struct listing *list, size_t device_count)
{
    const size_t most = 2 * device_count + 1;

    list->size = 64;
    while (list->size < 2 * most) {
        list->size *= 2;
    }
    list->nodes = calloc(most, sizeof *list->nodes);
    list->slots = (struct node **)calloc(list->size, sizeof(struct node *));
    list->frames = calloc(most, sizeof *list->frames);
    return list->nodes != NULL && list->slots != NULL && list->frames != NULL;
}

static void end(struct listing *list)
{
    free(list->nodes);
    free((void *)list->slots);
    free(list->frames);
}

/* The slot of a frame; NULL is in it if there is none yet. */
static struct node **find_slot(const struct listing *list, unsigned robot, const char *name)
{
    size_t i = tpi_device_index_hash(robot, name) & (list->size - 1);

    while (list->slots[i] != NULL &&
           (list->slots[i]->robot != robot || strcmp(list->slots[i]->name, name) != 0)) {
        i = (i + 1) & (list->size - 1);
    }
    return &list->slots[i];
}

static struct node *add(struct listing *list, struct node **slot, const struct node *node)
{
    *slot = &list->nodes[list->count++];
    **slot = *node;
    return *slot;
}

static void list_node(struct listing *list, struct node *node)
{
    tp_frame_info *info = &list->frames[list->listed++];

    *info = (tp_frame_info){.robot = node->robot, .known = 1};
    info->name = tpi_text_field(node->name, &info->name_count);
    info->parent =
        tpi_text_field(node->device == NULL ? "" : node->device->frame.parent, &info->parent_count);
    if (node->device != NULL) {
        info->moves = node->device->follows;
        info->known = node->device->frame.known;
        info->pose = node->device->frame.pose;
        info->timestamp = node->device->frame.timestamp_s;
    }
    node->seen = true;
    node->listed = true;
}

static void add_frames(struct listing *list, const tpi_hub *hub)
{
    for (size_t i = 0; i < hub->device_count; i++) {
        const tp_device *device = hub->devices[i];
        const struct node node = {device->addr.robot, device->frame.name, device, NULL, NULL, 0, 0};
        struct node **slot = find_slot(list, node.robot, node.name);
        if (*slot == NULL) {
            add(list, slot, &node);
        }
    }
}

/* What others sit in but no device has is a root. */
static void add_parents(struct listing *list, const tpi_hub *hub)
{
    for (size_t i = 0; i < hub->device_count; i++) {
        const tp_device *device = hub->devices[i];
        const struct node root = {device->addr.robot, device->frame.parent, NULL, NULL, NULL, 0, 0};
        struct node *own = *find_slot(list, root.robot, device->frame.name);
        struct node **slot = find_slot(list, root.robot, root.name);
        if (*slot == NULL) {
            list_node(list, add(list, slot, &root));
        }
        if (own->device == device) {
            own->parent = *slot;
        }
    }
}

/* Up to one that is listed, and down again. Frames that sit in each other are not listed. */
static void list_way(struct listing *list, struct node *node)
{
    node->below = NULL;
    while (!node->seen) {
        node->seen = true;
        node->parent->below = node;
        node = node->parent;
    }
    for (node = node->listed ? node->below : NULL; node != NULL; node = node->below) {
        list_node(list, node);
    }
}

tp_status tp_hub_frames(const tp_hub *hub, tp_frame_list **out)
{
    struct listing list = {0};
    void *block = NULL;
    tp_status status = TP_E_NOMEM;

    if (begin(&list, hub->device_count)) {
        add_frames(&list, hub);
        const size_t devices = list.count;
        add_parents(&list, hub);
        for (size_t i = 0; i < devices; i++) {
            list_way(&list, &list.nodes[i]);
        }
        const tp_frame_list value = {list.listed, list.frames};
        status = tp_value_copy(&block, &tp_desc_frame_list, &value, NULL);
    }
    end(&list);
    *out = block;
    return status;
}
