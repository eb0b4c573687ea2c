/* robots.c - the robots that a configuration mentions: each has a number, which is its port. */
#include "server/inside.h"

static tp_status list_robot(struct file *file, unsigned number, tp_error *err)
{
    for (size_t i = file->robot_count; i > 0; i--) { /* mostly the last one again */
        if (file->robots[i - 1] == number) {
            return TP_OK;
        }
    }
    if (number >= FIRST_FAR_ROBOT) {
        return TP_OK;
    }
    if (file->robot_count == MOST_ROBOTS) {
        return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
    }
    file->robots[file->robot_count++] = number;
    return TP_OK;
}

tp_status tpi_robots_read(tp_server *server, tp_error *err)
{
    struct file *file = server->file;
    tp_status status = TP_OK;

    for (const struct driver_entry *entry = file->entries; entry != NULL; entry = entry->next) {
        if (entry->asked.provide_count == 0 && status == TP_OK) { /* it offers all that it has */
            status = list_robot(file, entry->asked.robot, err);
        }
        for (uint32_t i = 0; i < entry->asked.provide_count && status == TP_OK; i++) {
            status = list_robot(file, entry->asked.provides[i].addr.robot, err);
        }
    }
    return status;
}

static bool has_robot(const tp_server *server, unsigned number)
{
    for (size_t i = 0; i < server->robot_count; i++) {
        if (server->robots[i].number == number) {
            return true;
        }
    }
    return false;
}

tp_status tpi_robots_add(tp_server *server, tp_error *err)
{
    const struct file *file = server->file;

    for (size_t i = 0; i < file->robot_count; i++) {
        if (has_robot(server, file->robots[i])) {
            continue;
        }
        if (server->robot_count == MOST_ROBOTS) {
            return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
        }
        server->robots[server->robot_count++] = (struct robot){.number = file->robots[i]};
    }
    return TP_OK;
}

bool tpi_robots_mentioned(const tp_server *server, unsigned robot)
{
    for (size_t i = 0; i < server->file->robot_count; i++) {
        if (server->file->robots[i] == robot) {
            return true;
        }
    }
    return false;
}

tp_status tpi_robots_check(const tp_server *server, tp_error *err)
{
    for (const struct front_entry *entry = server->file->fronts; entry != NULL;
         entry = entry->next) {
        if (entry->robot != 0 && !tpi_robots_mentioned(server, entry->robot)) {
            return tpi_cfg_fail(&tpi_cfg_find(entry->section, "robot")->place, err,
                                "no device of this file belongs to robot %u", entry->robot);
        }
    }
    return TP_OK;
}
