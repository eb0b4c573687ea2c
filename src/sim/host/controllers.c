/*
 * controllers.c - controllers that are plug-ins: see troupe/controller.h. What they call is in
 * robot.c.
 *
 * While the world is read, each text of a `ctrl` that is not built in gets a number; afterwards the
 * robots that have it get a state each. They run after each step, in the order of the models, on
 * the thread of the world.
 */
#include "sim/host/controllers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/robot.h"

/* A controller with arguments. */
struct command {
    char *text;  /* owned: the whole */
    char *place; /* owned: where the world has it first, as "FILE:LINE:COLUMN" */
    const char *arguments;
    tpi_plugin *plugin;        /* owned */
    const tp_controller *what; /* borrowed: the plug-in's */
    bool told;                 /* that it drives by what is no number */
};

struct tpi_sim_controllers {
    tpi_sim_host *host;       /* borrowed */
    struct command *commands; /* owned */
    uint32_t command_count;
    tp_robot *robots; /* owned */
    size_t robot_count;
    const char *folder; /* borrowed: of the world, "" or with a slash at its end */
};

/* ---- Loading --------------------------------------------------------------------------------- */

static bool try_file(tpi_buf *path, const char *folder, size_t length, const char *name)
{
    static const char *const prefixes[] = {"", "lib"};

    for (size_t i = 0; i < 2; i++) {
        tpi_buf_clear(path);
        tpi_buf_put(path, folder, length);
        if (length > 0 && folder[length - 1] != '/') {
            tpi_buf_putc(path, '/');
        }
        tpi_buf_printf(path, "%s%s.so", prefixes[i], name);
        if (!path->failed && tpi_plugin_exists(tpi_buf_text(path))) {
            return true;
        }
    }
    return false;
}

/* A shared object beside a world is code that comes with the world. It is loaded only if the user
 * says so. */
static bool trusts_worlds(void)
{
    const char *answer = getenv("TROUPE_WORLD_CODE");

    return answer != NULL && strcmp(answer, "yes") == 0;
}

static tp_status refuse_file(const char *path, tp_error *err)
{
    return tp_fail(err, TP_E_DENIED,
                   "%s is code that comes with the world: to run it, set TROUPE_WORLD_CODE=yes, or "
                   "name its folder in TROUPE_PLUGIN_PATH",
                   path);
}

static bool find_file(const tpi_sim_controllers *c, tpi_buf *path, const char *name, bool *beside)
{
    const char *wanted = getenv("TROUPE_PLUGIN_PATH");
    bool found = false;

    while (!found && wanted != NULL && *wanted != '\0') {
        const size_t length = strcspn(wanted, ":");
        found = try_file(path, wanted, length, name);
        wanted += length + (wanted[length] == ':');
    }
    *beside = !found;
    return found || try_file(path, c->folder, strlen(c->folder), name);
}

static tp_status check(const struct command *command, const char *name, tp_error *err)
{
    if (command->what == NULL) {
        return tp_fail(err, TP_E_UNKNOWN,
                       "%s has no symbol tp_controller_%s; in C++ it is declared extern \"C\"",
                       tpi_plugin_path(command->plugin), name);
    }
    if (command->what->abi != TP_CONTROLLER_ABI) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "%s is made for version %u of controllers; this program has version %d",
                       tpi_plugin_path(command->plugin), command->what->abi, TP_CONTROLLER_ABI);
    }
    return command->what->step != NULL
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "%s has no step", tpi_plugin_path(command->plugin));
}

static tp_status open_file(struct command *command, const char *path, const char *name,
                           tp_error *err)
{
    char symbol[96];
    tp_status status = tpi_plugin_open(&command->plugin, path, err);

    if (status != TP_OK) {
        return status;
    }
    snprintf(symbol, sizeof symbol, "tp_controller_%s", name);
    command->what = tpi_plugin_symbol(command->plugin, symbol);
    return check(command, name, err);
}

/* The one for a new text; NULL if memory ran out. */
static struct command *add_command(tpi_sim_controllers *c, const char *text,
                                   const tpi_cfg_place *place)
{
    struct command *commands = realloc(c->commands, (c->command_count + 1) * sizeof *commands);
    char *copy = malloc(strlen(text) + 1);
    tpi_buf where = {0};

    c->commands = commands != NULL ? commands : c->commands;
    tpi_buf_printf(&where, "%s:%u:%u", place->file, place->line, place->column);
    if (commands == NULL || copy == NULL || where.failed) {
        free(copy);
        tpi_buf_fini(&where);
        return NULL;
    }
    strcpy(copy, text);
    struct command *command = &commands[c->command_count++];
    *command = (struct command){.text = copy, .place = where.data};
    const size_t length = strcspn(copy, " \t");
    command->arguments = copy + length + strspn(copy + length, " \t");
    return command;
}

tp_status tpi_sim_controllers_number(void *context, const char *text, const tpi_cfg_place *place,
                                     uint32_t *number, tp_error *err)
{
    tpi_sim_controllers *c = context;
    char name[64];
    tpi_buf path = {0};
    tp_status status = TP_OK;
    bool beside = false;

    for (uint32_t i = 0; i < c->command_count; i++) {
        if (strcmp(c->commands[i].text, text) == 0) {
            *number = i + 1;
            return TP_OK;
        }
    }
    if (strcspn(text, " \t") >= sizeof name) {
        return TP_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " \t"), text);
    const bool found = strchr(name, '/') == NULL && find_file(c, &path, name, &beside);
    if (found && beside && !trusts_worlds()) {
        status = refuse_file(tpi_buf_text(&path), err);
    } else if (found) {
        struct command *command = add_command(c, text, place);
        status = command == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                 : open_file(command, tpi_buf_text(&path), name, err);
        *number = c->command_count;
    }
    tpi_buf_fini(&path);
    return status;
}

/* ---- Robots ---------------------------------------------------------------------------------- */

tp_status tpi_sim_controllers_create(tpi_sim_controllers **out, tpi_sim_host *host,
                                     const char *folder, tp_error *err)
{
    tpi_sim_controllers *c = calloc(1, sizeof *c);

    if (c == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    c->host = host;
    c->folder = folder;
    *out = c;
    return TP_OK;
}

/* What a controller says has no place; the world's has. */
static tp_status init_robot(tp_robot *robot, const struct command *command, tp_error *err)
{
    tp_error own = {0};

    tpi_plugin_enter(robot->plugin);
    tp_status status = command->what->init == NULL
                           ? TP_OK
                           : command->what->init(robot, robot->state, command->arguments, &own);
    tpi_plugin_enter(NULL);
    if (status != TP_OK && own.text[0] == '\0') {
        return tp_fail(err, status, "%s: the controller \"%s\" does not want %s", command->place,
                       command->text, robot->name);
    }
    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s: %s", command->place, own.text);
}

static tp_status add_robot(tpi_sim_controllers *c, tpi_sim_model model,
                           const struct command *command, tp_error *err)
{
    tp_robot *robot = &c->robots[c->robot_count++];
    tp_status status =
        tpi_sim_robot_init(robot, c->host->world, model, command->what, command->plugin, err);

    return status == TP_OK ? init_robot(robot, command, err) : status;
}

/* Room for all robots at once: a controller keeps the address of its own. */
static tp_status make_room(tpi_sim_controllers *c, tp_error *err)
{
    const uint32_t count = tpi_sim_model_count(c->host->world);
    size_t robots = 0;

    for (tpi_sim_model model = 0; model < count; model++) {
        robots += tpi_sim_control(c->host->world, model) != 0;
    }
    c->robots = calloc(robots + 1, sizeof *c->robots);
    return c->robots == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

tp_status tpi_sim_controllers_begin(tpi_sim_controllers *c, tp_error *err)
{
    const uint32_t count = tpi_sim_model_count(c->host->world);

    if (c->command_count == 0) {
        return TP_OK;
    }
    tp_status status = make_room(c, err);
    for (tpi_sim_model model = 0; model < count && status == TP_OK; model++) {
        const uint32_t number = tpi_sim_control(c->host->world, model);
        if (number != 0) {
            status = add_robot(c, model, &c->commands[number - 1], err);
        }
    }
    return status;
}

/* Once for each controller, whose fault it is. */
static void tell(tpi_sim_controllers *c, const tp_robot *robot, const char *why)
{
    struct command *command = &c->commands[tpi_sim_control(c->host->world, robot->model) - 1];
    tpi_buf text = {0};

    if (!command->told) {
        command->told = true;
        tpi_buf_printf(&text, "%s: the controller \"%s\" drives %s wrongly, which is ignored: %s",
                       command->place, command->text, robot->name, why);
        c->host->note(c->host->note_context, tpi_buf_text(&text));
        tpi_buf_fini(&text);
    }
}

void tpi_sim_controllers_step(tpi_sim_controllers *c)
{
    for (size_t i = 0; i < c->robot_count; i++) {
        tp_error err = {0};
        if (tpi_sim_robot_step(&c->robots[i], &err) != TP_OK) {
            tell(c, &c->robots[i], err.text);
        }
    }
}

void tpi_sim_controllers_destroy(tpi_sim_controllers *c)
{
    if (c == NULL) {
        return;
    }
    for (size_t i = 0; i < c->robot_count; i++) {
        tpi_sim_robot_fini(&c->robots[i]);
    }
    for (uint32_t i = 0; i < c->command_count; i++) {
        tpi_plugin_close(c->commands[i].plugin);
        free(c->commands[i].text);
        free(c->commands[i].place);
    }
    free(c->commands);
    free(c->robots);
    free(c);
}
