/* robot.c - the description of a robot, asked for page by page; finding its parts by name. */
#include "client/motion/robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* ---- Reading ---- */

tp_status tpi_robot_create(tpi_robot **out, const tpi_motion_description *header, tp_error *err)
{
    if (header->joints > TPI_ROBOT_MOST || header->links > TPI_ROBOT_MOST ||
        header->frames > TPI_ROBOT_MOST || header->dofs > TPI_MOTION_DOFS) {
        return tp_fail(err, TP_E_LIMIT, "the robot has %u joints, %u links, %u frames, %u dofs",
                       header->joints, header->links, header->frames, header->dofs);
    }
    tpi_robot *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->joints = calloc(header->joints + 1u, sizeof *r->joints);
        r->links = calloc(header->links + 1u, sizeof *r->links);
        r->frames = calloc(header->frames + 1u, sizeof *r->frames);
    }
    if (r == NULL || r->joints == NULL || r->links == NULL || r->frames == NULL) {
        tpi_robot_destroy(r);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(r->robot.name, header->name, sizeof r->robot.name);
    r->robot.joint_count = header->joints;
    r->robot.link_count = header->links;
    r->robot.frame_count = header->frames;
    r->robot.dof_count = header->dofs;
    r->robot.root = header->root;
    r->robot.commands = header->commands;
    r->robot.period_ns = (int64_t)header->period_us * 1000;
    r->robot.clock = header->clock;
    r->robot.joints = r->joints;
    r->robot.links = r->links;
    r->robot.frames = r->frames;
    *out = r;
    return TP_OK;
}

void tpi_robot_destroy(tpi_robot *r)
{
    if (r != NULL) {
        free(r->joints);
        free(r->links);
        free(r->frames);
        free(r);
    }
}

bool tpi_robot_next(const tpi_robot *r, uint16_t *code, tpi_motion_page *page)
{
    const struct {
        uint16_t code;
        uint32_t read, all;
    } blocks[] = {
        {TPI_MOTION_ASK_JOINTS, r->joints_read, r->robot.joint_count},
        {TPI_MOTION_ASK_LINKS, r->links_read, r->robot.link_count},
        {TPI_MOTION_ASK_FRAMES, r->frames_read, r->robot.frame_count},
    };

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (blocks[i].read < blocks[i].all) {
            *code = blocks[i].code;
            *page = (tpi_motion_page){(uint16_t)blocks[i].read,
                                      (uint16_t)(blocks[i].all - blocks[i].read)};
            return true;
        }
    }
    return false;
}

/* The bodies of JOINTS, LINKS and FRAMES begin alike. */
union pages {
    tpi_motion_page page;
    tpi_motion_joints joints;
    tpi_motion_links links;
    tpi_motion_frames frames;
};

tp_status tpi_robot_take(tpi_robot *r, const tpi_motion_record *record, tp_error *err)
{
    union pages pages = {{0, 0}};
    uint16_t code = 0;
    tpi_motion_page asked = {0, 0};
    char *to = (char *)&r->joints[r->joints_read];
    size_t size = sizeof *r->joints;
    uint32_t *read = &r->joints_read;

    if (!tpi_robot_next(r, &code, &asked) || record->code != (code | TPI_MOTION_ANSWER)) {
        return tp_fail(err, TP_E_INVALID, "an answer that was not asked for");
    }
    if (code == TPI_MOTION_ASK_LINKS) {
        to = (char *)&r->links[r->links_read];
        size = sizeof *r->links;
        read = &r->links_read;
    } else if (code == TPI_MOTION_ASK_FRAMES) {
        to = (char *)&r->frames[r->frames_read];
        size = sizeof *r->frames;
        read = &r->frames_read;
    }
    const tp_status status =
        tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length, &pages,
                            to, asked.count * size, err);
    if (status != TP_OK) {
        return status;
    }
    if (pages.page.first != asked.first || pages.page.count == 0 ||
        pages.page.count > asked.count) {
        return tp_fail(err, TP_E_INVALID, "a page of the description that was not asked for");
    }
    *read += pages.page.count;
    return TP_OK;
}

tp_status tpi_robot_check(const tpi_robot *r, tp_error *err)
{
    const tp_motion_robot *robot = &r->robot;
    uint32_t dofs = 0;

    for (uint32_t i = 0; i < robot->joint_count; i++) {
        const tp_motion_joint *j = &r->joints[i];

        if (j->dof_count > TP_MOTION_JOINT_DOFS || j->first_dof != dofs ||
            j->child >= robot->link_count ||
            (j->parent >= robot->link_count && j->parent != TP_MOTION_WORLD)) {
            return tp_fail(err, TP_E_INVALID, "joint %u of the description is wrong", i);
        }
        dofs += j->dof_count;
    }
    for (uint32_t i = 0; i < robot->link_count; i++) {
        if (r->links[i].joint >= robot->joint_count) {
            return tp_fail(err, TP_E_INVALID, "link %u of the description is wrong", i);
        }
    }
    for (uint32_t i = 0; i < robot->frame_count; i++) {
        if (r->frames[i].link >= robot->link_count) {
            return tp_fail(err, TP_E_INVALID, "frame %u of the description is wrong", i);
        }
    }
    return dofs == robot->dof_count && robot->root < robot->link_count
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "the counts of the description are wrong");
}

/* ---- Finding ---- */

/* Names are the first member of all three kinds of records. */
static int find(const void *records, size_t size, uint16_t count, const char *name)
{
    const char *at = records;

    for (uint16_t i = 0; i < count; i++, at += size) {
        if (strcmp(at, name) == 0) {
            return i;
        }
    }
    return -1;
}

int tp_motion_find_joint(const tp_motion_robot *robot, const char *name)
{
    return find(robot->joints, sizeof *robot->joints, robot->joint_count, name);
}

int tp_motion_find_link(const tp_motion_robot *robot, const char *name)
{
    return find(robot->links, sizeof *robot->links, robot->link_count, name);
}

int tp_motion_find_frame(const tp_motion_robot *robot, const char *name)
{
    return find(robot->frames, sizeof *robot->frames, robot->frame_count, name);
}

static tp_status fail_unknown(const tp_motion_robot *robot, const char *word, tp_error *err)
{
    tpi_nearest nearest;
    char hint[128];

    if (tp_motion_find_frame(robot, word) >= 0 || tp_motion_find_link(robot, word) >= 0) {
        return tp_fail(err, TP_E_UNKNOWN, "%s is a %s of %s: only joints have dofs", word,
                       tp_motion_find_frame(robot, word) >= 0 ? "control frame" : "link",
                       robot->name);
    }
    tpi_nearest_init(&nearest, word);
    for (uint16_t i = 0; i < robot->joint_count; i++) {
        tpi_nearest_offer(&nearest, robot->joints[i].name);
    }
    return tp_fail(err, TP_E_UNKNOWN, "%s has no joint \"%s\"%s", robot->name, word,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

tp_status tp_motion_find_dof(const tp_motion_robot *robot, const char *name, uint16_t *joint,
                             uint16_t *dof, tp_error *err)
{
    const char *colon = strrchr(name, ':');
    const size_t length = colon == NULL ? strlen(name) : (size_t)(colon - name);
    char word[TP_MOTION_NAME + 1];
    int64_t which = 0, index = 0;

    (void)snprintf(word, sizeof word, "%.*s",
                   (int)(length < sizeof word ? length : sizeof word - 1), name);
    int found = length < sizeof word ? tp_motion_find_joint(robot, word) : -1;
    if (found < 0 && tpi_number_read_i64(word, strlen(word), &index) && index >= 0 &&
        index < robot->joint_count) {
        found = (int)index;
    }
    if (found < 0) {
        return fail_unknown(robot, word, err);
    }
    const tp_motion_joint *j = &robot->joints[found];
    if (colon != NULL &&
        (!tpi_number_read_i64(colon + 1, strlen(colon + 1), &which) || which < 0)) {
        return tp_fail(err, TP_E_SYNTAX, "\"%s\" is no dof: JOINT or JOINT:NUMBER", name);
    }
    if (which >= j->dof_count || (colon == NULL && j->dof_count > 1)) {
        return tp_fail(err, TP_E_UNKNOWN,
                       j->dof_count == 0  ? "joint %s does not move"
                       : j->dof_count > 1 ? "joint %s has the dofs %s:0 to %s:%u"
                                          : "joint %s has one dof",
                       j->name, j->name, j->name, j->dof_count - 1u);
    }
    *joint = (uint16_t)found;
    *dof = (uint16_t)which;
    return TP_OK;
}
