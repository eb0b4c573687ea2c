/* robots.c - the robots that a configuration mentions: each has a number, which is its port. */
#include "server/inside.h"

static bool has_robot(const tp_server *server, unsigned number)
{
    for (size_t i = 0; i < server->robot_count; i++) {
        if (server->robots[i].number == number) {
            return true;
        }
    }
    return false;
}

static tp_status add_robot(tp_server *server, unsigned number, tp_error *err)
{
    if (number >= FIRST_FAR_ROBOT || has_robot(server, number)) {
        return TP_OK;
    }
    if (server->robot_count == MOST_ROBOTS) {
        return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
    }
    server->robots[server->robot_count++] = (struct robot){.number = number};
    return TP_OK;
}

tp_status tpi_robots_add(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        if (entry->asked.provide_count == 0 && status == TP_OK) { /* it offers all that it has */
            status = add_robot(server, entry->asked.robot, err);
        }
        for (uint32_t i = 0; i < entry->asked.provide_count && status == TP_OK; i++) {
            status = add_robot(server, entry->asked.provides[i].addr.robot, err);
        }
    }
    return status;
}

bool tpi_robots_mentioned(const tp_server *server, unsigned robot)
{
    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        if (entry->asked.provide_count == 0 && entry->asked.robot == robot) {
            return true;
        }
        for (uint32_t i = 0; i < entry->asked.provide_count; i++) {
            if (entry->asked.provides[i].addr.robot == robot) {
                return true;
            }
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
