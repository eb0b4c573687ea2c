/* wired_map.c - maps, and devices that are put into slots one by one; see wired.h. */
#include <string.h>

#include "universal/wired.h"

/* ---- Slots ---- */

static int part_of(const tpi_wired *wired, const tpi_device *device, int slot)
{
    for (unsigned i = 0; i < wired->part_count; i++) {
        if (wired->parts[i].device == device && (slot < 0 || wired->parts[i].slot == slot)) {
            return (int)i;
        }
    }
    return -1;
}

/* A group, behind its wheels: each in a slot of its own if they share a row. */
static int plug_group(tpi_wired *wired, const tpi_device *group)
{
    const tpi_robotfile *robot = wired->robot;
    const int left = tpi_robotfile_device(robot, group->left);
    const int right = tpi_robotfile_device(robot, group->right);

    if (left < 0 || right < 0 || tpi_wired_plug(wired, left, -1) < 0) {
        return -1;
    }
    const tpi_device *wheel = &robot->devices[right];
    const bool has_room =
        wheel->row >= 0 && robot->rows[wheel->row].count > 1 && part_of(wired, wheel, -1) < 0;
    if (tpi_wired_plug(wired, right, has_room ? 1 : -1) < 0 ||
        tpi_wired_add(wired, group, -1, NULL) != TP_OK) {
        return -1;
    }
    tpi_wired_join_groups(wired);
    return (int)wired->part_count - 1;
}

int tpi_wired_plug(tpi_wired *wired, int device, int slot)
{
    const tpi_device *wanted = &wired->robot->devices[device];
    int part = part_of(wired, wanted, slot);

    if (part >= 0) {
        return part;
    }
    if (wanted->is_group) {
        part = plug_group(wired, wanted);
    } else if (wanted->row >= 0 && slot < (int)wired->robot->rows[wanted->row].count &&
               tpi_wired_add(wired, wanted, slot >= 0 ? slot : 0, NULL) == TP_OK) {
        part = (int)wired->part_count - 1;
    }
    tpi_wired_find_routes(wired);
    return part;
}

/* The part that a class means in a slot: the one that sits there, or one that is put there. */
static int part_in_slot(tpi_wired *wired, const tpi_word *word, int row, int slot)
{
    const tpi_robotfile *robot = wired->robot;

    for (unsigned i = 0; i < wired->part_count; i++) {
        const tpi_part *part = &wired->parts[i];
        if (part->slot == slot && part->device->row == row &&
            tpi_classes_find(&part->device->classes, word) >= 0) {
            return (int)i;
        }
    }
    for (unsigned i = 0; i < robot->device_count; i++) {
        const tpi_device *device = &robot->devices[i];
        if (device->row == row && tpi_classes_find(&device->classes, word) >= 0 &&
            tpi_wired_add(wired, device, slot, NULL) == TP_OK) {
            return (int)wired->part_count - 1;
        }
    }
    return -1;
}

/* ---- Maps ---- */

tp_status tpi_wired_map(tpi_wired *wired, const char *text, tp_error *err)
{
    const char *equal = strchr(text, '=');
    int row = -1, slot = -1, part = -1;

    if (equal == NULL || equal == text || equal[1] == '\0') {
        return tp_fail(err, TP_E_SYNTAX,
                       "--map \"%.60s\": expected a class and a place: \"Light Sensor=port 2\"",
                       text);
    }
    const char *class = tpi_arena_text(&wired->document.arena, text, (size_t)(equal - text));
    if (class == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tpi_word word = {class, tpi_vocabulary_find(wired->robot->vocabulary, class)};
    if (tpi_robotfile_slot(wired->robot, equal + 1, &row, &slot)) {
        part = part_in_slot(wired, &word, row, slot);
    } else {
        part = tpi_wired_part(wired, equal + 1, -1);
    }
    if (part < 0) {
        return tp_fail(err, TP_E_UNKNOWN, "--map \"%.60s\": the robot %s has no %s there", text,
                       wired->robot->identity.name, slot >= 0 ? class : "such place or device");
    }
    const tp_status status = tpi_wired_bind(wired, class, part, true, err);
    tpi_wired_join_groups(wired);
    tpi_wired_find_routes(wired);
    return status;
}
