/* cmd_list.c - troupe list: the devices of a server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/find.h"
#include "output.h"
#include "remote.h"
#include "stat_all.h"
#include "stat_text.h"
#include "table.h"

static const char name[] = "list";

struct list {
    struct remote remote;
    bool json;
    const char *where;         /* NULL for all */
    tp_error hint;             /* what may be wrong with it; TP_OK for nothing */
    tp_client_device *devices; /* owned */
    size_t count;
    tp_statistics *statistics; /* owned; NULL from a Player server */
    size_t stat_at;            /* where the next one is likely to be found */
};

/* Both lists have the same order, so that the search goes on where it has ended. */
static const tp_device_stat *find_stat(struct list *list, const tp_devaddr *addr)
{
    const tp_device_stat *found =
        list->statistics != NULL ? stat_find(list->statistics, addr, list->stat_at) : NULL;

    if (found != NULL) {
        list->stat_at = (size_t)(found - list->statistics->devices);
    }
    return found;
}

/* ---- For people ------------------------------------------------------------------------------ */

/* Whether there is a device that has a name beside its address. */
static bool has_labels(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const tp_device_stat *stat = find_stat(list, &list->devices[i].addr);
        if (stat != NULL && stat->label_count > 1) {
            return true;
        }
    }
    return false;
}

static void put_label(struct table *rows, const tp_device_stat *stat)
{
    tpi_buf text = {0};

    if (stat != NULL && stat->label_count > 1) {
        output_put_clean(&text, stat->label, stat->label_count);
    }
    table_cell(rows, "%s", tpi_buf_text(&text));
    tpi_buf_fini(&text);
}

static void put_state(struct table *rows, const tp_device_stat *stat)
{
    tpi_buf state = {0};

    if (stat != NULL) {
        stat_put_state(&state, stat);
    }
    table_cell(rows, "%s", stat != NULL ? tpi_buf_text(&state) : "?");
    tpi_buf_fini(&state);
}

static void put_rows(struct list *list, struct table *rows, bool labels)
{
    for (size_t i = 0; i < list->count; i++) {
        const tp_client_device *device = &list->devices[i];
        const tp_device_stat *stat = find_stat(list, &device->addr);
        table_cell(rows, "%s", device->name);
        if (labels) {
            put_label(rows, stat);
        }
        if (stat != NULL && stat->instance_count > 1) { /* as `run` and `stat` call it */
            table_cell(rows, "%.*s", (int)stat->instance_count, stat->instance);
        } else {
            table_cell(rows, "%s", device->driver);
        }
        if (list->statistics != NULL) {
            put_state(rows, stat);
            table_cell(rows, "%lu", stat != NULL ? (unsigned long)stat->readers : 0);
        }
        const char *what = device->interface != NULL ? device->interface->doc : "(unknown)";
        table_cell(rows, "%.*s", output_sentence(what), what);
    }
}

static void put_failures(struct list *list, tpi_buf *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const tp_device_stat *stat = find_stat(list, &list->devices[i].addr);
        if (stat != NULL && stat->failure_count > 1) {
            tpi_buf_printf(out, "%s: ", list->devices[i].name);
            output_put_clean(out, stat->failure, stat->failure_count);
            tpi_buf_putc(out, '\n');
        }
    }
}

/* Plain Player clients have no lease on simulated devices, unless the configuration says so. */
static void put_leases(struct list *list, tpi_buf *out)
{
    size_t endless = 0;
    const char *first = NULL;

    for (size_t i = 0; i < list->count; i++) {
        const tp_device_stat *stat = find_stat(list, &list->devices[i].addr);
        if (stat != NULL && stat->plain_lease < 0) {
            first = first == NULL ? list->devices[i].name : first;
            endless++;
        }
    }
    if (endless == 1) {
        tpi_buf_printf(out, "%s moves on while plain Player clients are silent\n", first);
    } else if (endless > 1) {
        tpi_buf_printf(out, "%s and %zu more move on while plain Player clients are silent\n",
                       first, endless - 1);
    }
}

static void put_text(struct list *list, tpi_buf *out)
{
    static const char *const ours[] = {"DEVICE",   "DRIVER",      "STATE",
                                       ">READERS", "DESCRIPTION", NULL};
    static const char *const named[] = {"DEVICE",   "NAME",        "DRIVER", "STATE",
                                        ">READERS", "DESCRIPTION", NULL};
    static const char *const player[] = {"DEVICE", "DRIVER", "DESCRIPTION", NULL};
    const bool labels = has_labels(list);
    size_t columns = 0;
    size_t lines;
    struct table rows;

    if (output_is_terminal()) {
        output_size(&columns, &lines);
    }
    output_put_clean(out, remote_url(&list->remote), strlen(remote_url(&list->remote)));
    tpi_buf_printf(out, ", %s: %zu device%s\n",
                   tp_client_is_troupe(list->remote.client) ? "Troupe" : "Player", list->count,
                   output_plural(list->count));
    if (list->statistics != NULL) {
        stat_put_panic(out, &list->statistics->panic);
    }
    if (list->count == 0) {
        return;
    }
    table_init(&rows, labels ? named : list->statistics != NULL ? ours : player);
    put_rows(list, &rows, labels);
    table_put(out, &rows, 0, columns);
    table_fini(&rows);
    put_failures(list, out);
    put_leases(list, out);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void put_member(tpi_buf *out, const char *key, const char *text)
{
    tpi_buf_printf(out, "\"%s\":", key);
    output_put_json(out, text, strlen(text));
}

static void put_device(tpi_buf *out, const tp_client_device *device, const tp_device_stat *stat)
{
    tpi_buf_putc(out, '{');
    put_member(out, "device", device->name);
    tpi_buf_puts(out, ",\"interface\":");
    if (device->interface != NULL) {
        output_put_json(out, device->interface->name, strlen(device->interface->name));
    } else {
        tpi_buf_puts(out, "null");
    }
    tpi_buf_printf(out, ",\"code\":%u,\"index\":%u,\"robot\":%lu,", device->addr.interf,
                   device->addr.index, (unsigned long)device->addr.robot);
    put_member(out, "driver", device->driver);
    if (stat != NULL) {
        tpi_buf_putc(out, ',');
        put_member(out, "state", stat_state(stat->state));
        tpi_buf_printf(out, ",\"isolated\":%s,\"guards\":%lu,\"readers\":%lu,\"failure\":",
                       stat->isolated ? "true" : "false", (unsigned long)stat->guards,
                       (unsigned long)stat->readers);
        output_put_json(out, stat->failure, stat->failure_count);
        tpi_buf_puts(out, ",\"instance\":");
        output_put_json(out, stat->instance, stat->instance_count);
        tpi_buf_puts(out, ",\"name\":");
        output_put_json(out, stat->label, stat->label_count);
        if (stat->plain_lease != 0) { /* as `lease` has it: 0 is no limit */
            tpi_buf_printf(out, ",\"player_lease\":%g",
                           stat->plain_lease < 0 ? 0 : stat->plain_lease);
        }
    }
    tpi_buf_putc(out, '}');
}

/* As statistics have it; of our servers. */
static void put_panic(const struct list *list, tpi_buf *out)
{
    char *json = NULL;

    if (list->statistics == NULL) {
        return;
    }
    out->failed = out->failed || tp_value_text(&json, &tp_desc_panic_state,
                                               &list->statistics->panic, TP_TEXT_JSON) != TP_OK;
    tpi_buf_printf(out, ",\"panic\":%s", json != NULL ? json : "null");
    free(json);
}

static void put_json(struct list *list, tpi_buf *out)
{
    tpi_buf_putc(out, '{');
    put_member(out, "url", remote_url(&list->remote));
    tpi_buf_putc(out, ',');
    put_member(out, "banner", tp_client_banner(list->remote.client));
    tpi_buf_printf(out, ",\"troupe\":%s",
                   tp_client_is_troupe(list->remote.client) ? "true" : "false");
    put_panic(list, out);
    tpi_buf_puts(out, ",\"devices\":[");
    for (size_t i = 0; i < list->count; i++) {
        tpi_buf_puts(out, i > 0 ? ",\n" : "\n");
        put_device(out, &list->devices[i], find_stat(list, &list->devices[i].addr));
    }
    tpi_buf_puts(out, "]}\n");
}

/* ---- Conditions ------------------------------------------------------------------------------ */

/* Only conditions: the most or least of something would choose one device, not some. */
static int check_where(const char *where)
{
    tpi_conditions wanted;
    tp_error err = {0};
    int result = EXIT_DONE;

    if (tpi_conditions_parse(&wanted, where, &err) != TP_OK) {
        return command_fail(name, EXIT_USAGE, "--where: %s", err.text);
    }
    for (size_t i = 0; i < wanted.count && result == EXIT_DONE; i++) {
        if (!tpi_wish_is_condition(&wanted.wishes[i])) {
            result = command_fail(name, EXIT_USAGE,
                                  "--where takes conditions only, not the most or least %s",
                                  wanted.wishes[i].name);
        }
    }
    tpi_conditions_fini(&wanted);
    return result;
}

static const char *as_text(const char *text, uint32_t count)
{
    return count > 1 && text[count - 1] == '\0' ? text : "";
}

/* Nothing is known if the server says nothing of it. */
static tpi_called find_called(struct list *list, const tp_client_device *device)
{
    const tp_device_stat *stat = find_stat(list, &device->addr);

    return stat == NULL ? (tpi_called){NULL, NULL}
                        : (tpi_called){as_text(stat->label, stat->label_count),
                                       as_text(stat->instance, stat->instance_count)};
}

/* Devices of interfaces that nobody knows meet no condition. */
static tp_status ask_all(struct list *list, const tpi_conditions *wanted, tpi_asked *asked,
                         tp_error *err)
{
    size_t count = 0;
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (list->devices[i].interface != NULL) {
            asked[count].device = &list->devices[i];
            asked[count++].called = find_called(list, &list->devices[i]);
        }
    }
    const tp_status status =
        tpi_client_meet(list->remote.client, wanted, asked, count, &list->hint, err);
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        if (asked[i].meets) {
            list->devices[kept++] = *asked[i].device;
        }
    }
    list->count = kept;
    list->hint.code = kept == 0 ? list->hint.code : TP_OK;
    return status;
}

static int keep_wanted(struct list *list)
{
    tpi_conditions wanted;
    tp_error err = {0};
    tp_status status = tpi_conditions_parse(&wanted, list->where, &err);

    if (status != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    tpi_asked *asked = calloc(list->count + 1, sizeof *asked);
    status = asked != NULL ? ask_all(list, &wanted, asked, &err)
                           : tp_fail(&err, TP_E_NOMEM, "out of memory");
    free(asked);
    tpi_conditions_fini(&wanted);
    return status == TP_OK ? EXIT_DONE : command_fail(name, EXIT_FAILED, "%s", err.text);
}

/* A server without statistics still has devices. */
static int look(struct list *list)
{
    if (tp_client_is_troupe(list->remote.client) &&
        stat_all(list->remote.client, &list->statistics, NULL) == TP_E_NOMEM) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    return EXIT_DONE;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int show(struct list *list)
{
    tp_error err = {0};
    tpi_buf out = {0};
    int result = remote_connect(&list->remote, TP_CLIENT_FRESH, false);

    if (result != EXIT_DONE) {
        return result;
    }
    if (tp_client_list(list->remote.client, &list->devices, &list->count, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    result = look(list);
    if (result == EXIT_DONE && list->where != NULL) {
        result = keep_wanted(list);
    }
    if (result != EXIT_DONE) {
        return result;
    }
    if (list->hint.code == TP_E_UNKNOWN) {
        return command_fail(name, EXIT_FAILED, "--where: %s", list->hint.text);
    }
    if (list->hint.code != TP_OK) {
        (void)command_fail(name, EXIT_DONE, "--where: %s", list->hint.text);
    }
    if (list->json) {
        put_json(list, &out);
    } else {
        put_text(list, &out);
    }
    return command_write(name, &out);
}

static int read_options(struct list *list, int argc, char **argv)
{
    static const char *const options[] = {"--json", "--where", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (remote_has_option(argv[i])) {
            result = remote_option(&list->remote, argc, argv, &i);
        } else if (strcmp(argv[i], "--json") == 0) {
            list->json = true;
        } else if (strcmp(argv[i], "--where") == 0) {
            list->where = command_value(name, argc, argv, &i);
            result = list->where != NULL ? check_where(list->where) : EXIT_USAGE;
        } else if (argv[i][0] == '-') {
            result = remote_unexpected(&list->remote, argv[i], options);
        } else {
            result = remote_set_url(&list->remote, argv[i]);
        }
    }
    return result;
}

static int run(int argc, char **argv)
{
    struct list list = {.json = false};
    int result = remote_init(&list.remote, name);

    result = result == EXIT_DONE ? read_options(&list, argc, argv) : result;
    result = result == EXIT_DONE ? show(&list) : result;
    free(list.devices);
    free(list.statistics);
    remote_fini(&list.remote);
    return result;
}

const command command_list = {
    .name = name,
    .summary = "list the devices of a server",
    .help =
        "usage: troupe list [URL] [--where CONDITIONS] [--json]\n"
        "\n"
        "Lists the devices of a server, Troupe or Player: name, driver and description. For a\n"
        "Troupe server, it also shows the state and the number of clients of each device; for a\n"
        "simulated device, the model in the world. A line below names devices that move on while\n"
        "a plain Player client is silent, because they have no lease for such clients: those of\n"
        "simulated worlds.\n"
        "\n"
        "  --where CONDITIONS\n"
        "                  list only devices that meet all conditions: NAME OP VALUE, separated "
        "by\n"
        "                  commas. NAME is a property, or driver (also as the column DRIVER\n"
        "                  shows it), index, name (of a simulated device: the model), x y z roll\n"
        "                  pitch yaw width length height parent frame known; OP is one of\n"
        "                  = != < <= > >=. For names other than driver and index, devices are\n"
        "                  opened; for name, those without a name in the list. Exits with 1 if no\n"
        "                  device has such a property.\n"
        "  --json          print one JSON object\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe list\n"
        "          troupe list robot.local:6666\n"
        "          troupe list --where 'max_range > 5, x >= 0'\n",
    .run = run,
};
