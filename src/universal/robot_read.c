/*
 * robot_read.c - reads the elements of a robot file; see robot.h.
 *
 * Registers, slots and devices come first, wherever they stand, since expressions use their names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "universal/robot.h"

/* ---- Who it is ---- */

static bool is_name(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
               strlen(text) &&
           strlen(text) <= 40;
}

static tp_status read_root(tpi_robotfile *robot)
{
    static const char *const names[] = {"version", "name", "title", "lang", "kind", NULL};
    const tpi_document *document = &robot->document;
    const tpi_element *root = document->root;
    const char *kind = tpi_element_get(root, "kind"), *lang = tpi_element_get(root, "lang");

    if (strcmp(root->name, "robot") != 0) {
        return tpi_element_fail(document, root, "a robot file begins with <robot version=\"1\">");
    }
    tp_status status = tpi_element_version(document, root);
    if (status == TP_OK) {
        status = tpi_element_only(document, root, names);
    }
    if (status == TP_OK &&
        ((robot->identity.name = tpi_element_need(document, root, "name")) == NULL ||
         (robot->identity.title = tpi_element_need(document, root, "title")) == NULL)) {
        status = TP_E_INVALID;
    }
    if (status == TP_OK && !is_name(robot->identity.name)) {
        status =
            tpi_element_fail(document, root, "name=\"%.40s\": expected letters, digits, - and _",
                             robot->identity.name);
    }
    robot->is_universal = kind != NULL && strcmp(kind, "universal") == 0;
    if (status == TP_OK && kind != NULL && !robot->is_universal && strcmp(kind, "bytes") != 0) {
        status =
            tpi_element_fail(document, root, "kind=\"%.20s\": expected bytes or universal", kind);
    }
    robot->identity.lang = lang != NULL ? lang : "en";
    return status;
}

static tp_status read_about(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"maker", "icon", "url", NULL};

    robot->identity.maker = tpi_element_get(element, "maker");
    robot->identity.icon = tpi_element_get(element, "icon");
    robot->identity.url = tpi_element_get(element, "url");
    robot->identity.about = element->text;
    return tpi_element_only(&robot->document, element, names);
}

static tp_status read_palette(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"commands", NULL};
    const char *list = tpi_element_need(&robot->document, element, "commands");
    bool failed = false;
    const char *word;

    robot->identity.palette = list;
    while (list != NULL && (word = tpi_list_next(&robot->document.arena, &list, &failed)) != NULL) {
        if (tpi_dictionary_named(word) == TPI_COMMANDS) {
            return tpi_element_fail(&robot->document, element, "\"%.30s\" is no command", word);
        }
    }
    return list == NULL ? TP_E_INVALID
           : failed     ? tpi_document_no_memory(&robot->document)
                        : tpi_element_only(&robot->document, element, names);
}

static tp_status read_label(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"of", "lang", NULL};
    const char *of = tpi_element_need(&robot->document, element, "of");

    if (of == NULL || tpi_element_need(&robot->document, element, "lang") == NULL) {
        return TP_E_INVALID;
    }
    if (tpi_robotfile_device(robot, of) < 0) {
        return tpi_element_fail(&robot->document, element, "of=\"%.40s\" is no device of this file",
                                of);
    }
    return tpi_element_only(&robot->document, element, names);
}

/* ---- Remarks ---- */

static tp_status add_remark(tpi_robotfile *robot, const tpi_element *element, tpi_remarks *remarks,
                            const char *what, const char *why)
{
    if (what == NULL || why == NULL) {
        return TP_E_INVALID;
    }
    if (remarks->count == TPI_MOST_REMARKS) {
        return tpi_element_fail(&robot->document, element, "over %d of these", TPI_MOST_REMARKS);
    }
    remarks->all[remarks->count++] =
        (tpi_remark){.what = what, .why = why, .command = TPI_COMMANDS, .line = element->line};
    return TP_OK;
}

static tp_status read_na(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"command", "why", NULL};
    const char *command = tpi_element_need(&robot->document, element, "command");
    const char *why = command != NULL ? tpi_element_need(&robot->document, element, "why") : NULL;
    tp_status status = add_remark(robot, element, &robot->na, command, why);

    if (status != TP_OK) {
        return status;
    }
    const tpi_command index = tpi_dictionary_named(command);
    if (index == TPI_COMMANDS) {
        return tpi_element_fail(&robot->document, element, "command=\"%.30s\" is no command",
                                command);
    }
    robot->na.all[robot->na.count - 1].command = index;
    return tpi_element_only(&robot->document, element, names);
}

static tp_status read_unused(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"what", "why", NULL};
    const char *what = tpi_element_need(&robot->document, element, "what");
    const char *why = what != NULL ? tpi_element_need(&robot->document, element, "why") : NULL;
    const tp_status status = add_remark(robot, element, &robot->unused, what, why);

    return status == TP_OK ? tpi_element_only(&robot->document, element, names) : status;
}

static tp_status read_error(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"code", "says", NULL};
    const char *code = tpi_element_need(&robot->document, element, "code");
    const char *says = code != NULL ? tpi_element_need(&robot->document, element, "says") : NULL;
    const tp_status status = add_remark(robot, element, &robot->errors, code, says);
    char *end;

    if (status != TP_OK) {
        return status;
    }
    robot->errors.all[robot->errors.count - 1].code = (double)strtoul(code, &end, 16);
    if (*end != '\0') {
        return tpi_element_fail(&robot->document, element,
                                "code=\"%.20s\": expected a hexadecimal number", code);
    }
    return tpi_element_only(&robot->document, element, names);
}

/* ---- Translations and other steps ---- */

static tp_status read_types(tpi_robotfile *robot, const tpi_element *element, tpi_translation *t)
{
    const char *list = tpi_element_need(&robot->document, element, "type");
    bool failed = false;
    const char *word;

    if (list == NULL) {
        return TP_E_INVALID;
    }
    if (strcmp(list, "*") == 0) {
        return TP_OK;
    }
    while ((word = tpi_list_next(&robot->document.arena, &list, &failed)) != NULL) {
        if (t->type_count == TPI_MOST_TYPES) {
            return tpi_element_fail(&robot->document, element, "over %d types", TPI_MOST_TYPES);
        }
        t->types[t->type_count++] = word;
    }
    return failed ? tpi_document_no_memory(&robot->document) : TP_OK;
}

static tp_status read_translate(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"command", "type", "send", "reply", "result", NULL};
    const char *command = tpi_element_need(&robot->document, element, "command");
    tpi_translation *t = &robot->translations[robot->translation_count];
    tp_status status =
        command != NULL ? tpi_element_only(&robot->document, element, names) : TP_E_INVALID;
    tpi_nearest nearest;
    char hint[80];

    if (status != TP_OK) {
        return status;
    }
    if (robot->translation_count == TPI_MOST_TRANSLATIONS) {
        return tpi_element_fail(&robot->document, element, "over %d translations",
                                TPI_MOST_TRANSLATIONS);
    }
    *t = (tpi_translation){
        .command = tpi_dictionary_named(command), .line = element->line, .element = element};
    if (t->command == TPI_COMMANDS) {
        tpi_nearest_init(&nearest, command);
        for (int i = 0; i < TPI_COMMANDS; i++) {
            tpi_nearest_offer(&nearest, tpi_dictionary_entry((tpi_command)i)->name);
        }
        return tpi_element_fail(&robot->document, element, "command=\"%.30s\" is no command%s",
                                command, tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    status = read_types(robot, element, t);
    robot->translation_count++;
    return status == TP_OK ? tpi_steps_read(&t->steps, robot, element, t->command, NULL) : status;
}

static tp_status read_setup(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"send", "reply", NULL};
    const bool is_setup = strcmp(element->name, "setup") == 0;
    const tp_status status = tpi_element_only(&robot->document, element, names);

    return status != TP_OK ? status
                           : tpi_steps_read(is_setup ? &robot->setup : &robot->shutdown, robot,
                                            element, TPI_COMMANDS, NULL);
}

static tp_status read_keepalive(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"every", "always", "send", "reply", NULL};
    static const char *const only[] = {"send", "set", NULL};
    tp_status status = tpi_element_only(&robot->document, element, names);

    if (status == TP_OK && tpi_element_need(&robot->document, element, "every") == NULL) {
        status = TP_E_INVALID;
    }
    if (status == TP_OK) {
        status = tpi_element_number(&robot->document, element, "every", 10, 3600000, 0,
                                    &robot->timing.keepalive_ms);
    }
    if (status == TP_OK) {
        status = tpi_element_flag(&robot->document, element, "always", &robot->timing.is_timed);
    }
    return status == TP_OK ? tpi_steps_read(&robot->keepalive, robot, element, TPI_COMMANDS,
                                            robot->timing.is_timed ? only : NULL)
                           : status;
}

static tp_status read_stop(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"send", "silence", NULL};
    static const char *const only[] = {"send", "set", NULL};
    tp_status status = tpi_element_only(&robot->document, element, names);

    if (status == TP_OK) {
        status = tpi_element_number(&robot->document, element, "silence", 0, 3600000, 0,
                                    &robot->timing.silence_ms);
    }
    robot->has_stop = true;
    return status == TP_OK ? tpi_steps_read(&robot->stop, robot, element, TPI_COMMANDS, only)
                           : status;
}

static tp_status read_instruction(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"name", NULL};

    return tpi_element_need(&robot->document, element, "name") == NULL
               ? TP_E_INVALID
               : tpi_element_only(&robot->document, element, names);
}

/* ---- The file ---- */

static const struct {
    const char *name;
    int pass;
    tp_status (*read)(tpi_robotfile *robot, const tpi_element *element);
} elements[] = {
    {"about", 0, read_about},
    {"palette", 0, read_palette},
    {"link", 0, tpi_robotfile_read_link},
    {"timing", 0, tpi_robotfile_read_timing},
    {"framing", 0, tpi_robotfile_read_framing},
    {"register", 0, tpi_robotfile_read_register},
    {"counter", 0, tpi_robotfile_read_counter},
    {"slots", 0, tpi_robotfile_read_slots},
    {"error", 0, read_error},
    {"na", 0, read_na},
    {"unused", 0, read_unused},
    {"instruction", 0, read_instruction},
    {"device", 1, tpi_robotfile_read_device},
    {"group", 2, tpi_robotfile_read_group},
    {"label", 3, read_label},
    {"incoming", 3, tpi_robotfile_read_incoming},
    {"refusal", 3, tpi_robotfile_read_refusal},
    {"setup", 3, read_setup},
    {"shutdown", 3, read_setup},
    {"keepalive", 3, read_keepalive},
    {"stop", 3, read_stop},
    {"translate", 3, read_translate},
};

enum { ELEMENTS = sizeof elements / sizeof elements[0], PASSES = 4, FIRST_PASSES = 1 };

static int find_element(const char *name)
{
    for (int i = 0; i < ELEMENTS; i++) {
        if (strcmp(elements[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static tp_status read_element(tpi_robotfile *robot, const tpi_element *e, int pass)
{
    const char *names[ELEMENTS + 1] = {NULL};
    const int index = find_element(e->name);

    if (index < 0 && pass == 0) {
        for (int i = 0; i < ELEMENTS; i++) {
            names[i] = elements[i].name;
        }
        return tpi_element_unexpected(&robot->document, e, names);
    }
    if (index < 0 || elements[index].pass != pass) {
        return TP_OK;
    }
    return tpi_robotfile_may_stand(robot, e->name)
               ? elements[index].read(robot, e)
               : tpi_element_fail(&robot->document, e,
                                  "a robot of kind=\"universal\" has none; its firmware does that; "
                                  "remove it");
}

static tp_status read_elements(tpi_robotfile *robot, int first, int last)
{
    tp_status status = TP_OK;

    for (int pass = first; pass <= last; pass++) {
        for (const tpi_element *e = robot->document.root->first; e != NULL; e = e->next) {
            const tp_status now = read_element(robot, e, pass);
            status = status == TP_OK ? now : status;
            if (!tpi_document_goes_on(&robot->document, now)) {
                return now;
            }
        }
    }
    return status;
}

/* Setup and shutdown of devices, once all names are known. */
static tp_status read_device_steps(tpi_robotfile *robot)
{
    static const char *const names[] = {"setup", "shutdown", NULL};
    tp_status status = TP_OK;

    for (const tpi_element *e = robot->document.root->first; e != NULL; e = e->next) {
        for (const tpi_element *c = strcmp(e->name, "device") == 0 ? e->first : NULL;
             c != NULL && status == TP_OK; c = c->next) {
            static const char *const allowed[] = {"send", "reply", NULL};
            tpi_steps steps = {0};
            if (!tpi_text_among(names, c->name)) {
                return tpi_element_unexpected(&robot->document, c, names);
            }
            status = tpi_element_only(&robot->document, c, allowed);
            if (status == TP_OK) {
                status = tpi_steps_read(&steps, robot, c, TPI_COMMANDS, NULL);
            }
            for (unsigned i = 0; i < robot->device_count; i++) {
                if (robot->devices[i].element == e) {
                    *(strcmp(c->name, "setup") == 0 ? &robot->devices[i].setup
                                                    : &robot->devices[i].shutdown) = steps;
                }
            }
        }
    }
    return status;
}

tp_status tpi_robotfile_read(tpi_robotfile **out, const char *text, size_t length, const char *path,
                             const tpi_vocabulary *vocabulary, tp_error *err)
{
    return tpi_robotfile_read_all(out, text, length, path, vocabulary, NULL, err);
}

tp_status tpi_robotfile_read_all(tpi_robotfile **out, const char *text, size_t length,
                                 const char *path, const tpi_vocabulary *vocabulary,
                                 tpi_mistakes *mistakes, tp_error *err)
{
    tpi_robotfile *robot = calloc(1, sizeof *robot);

    if (robot == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    robot->vocabulary = vocabulary;
    robot->document.mistakes = mistakes;
    robot->timing = (tpi_timing){.reply_ms = 500, .largest = 4096};
    robot->scope.numbers[TPI_NUMBER_SLOT] = "slot";
    robot->scope.numbers[TPI_NUMBER_ID] = "id";
    robot->scope.numbers[TPI_NUMBER_LEFT] = "leftslot";
    robot->scope.numbers[TPI_NUMBER_RIGHT] = "rightslot";
    robot->scope.number_count = TPI_NUMBERS_GIVEN;
    tp_status status = tpi_document_read(&robot->document, text, length, path, err);
    if (status == TP_OK) {
        status = read_root(robot);
    }
    if (status == TP_OK) {
        status = read_elements(robot, 0, FIRST_PASSES);
    }
    if (status == TP_OK) {
        status = read_elements(robot, FIRST_PASSES + 1, PASSES - 1);
    }
    if (status == TP_OK) {
        status = read_device_steps(robot);
    }
    if (status == TP_OK && robot->is_universal) {
        status = tpi_robotfile_speak_universal(robot);
    }
    if (status == TP_OK) {
        status = tpi_robotfile_check(robot);
    }
    if (status != TP_OK) {
        tpi_robotfile_destroy(robot);
        return status;
    }
    robot->document.err = NULL;
    robot->document.mistakes = NULL;
    *out = robot;
    return TP_OK;
}

void tpi_robotfile_destroy(tpi_robotfile *robot)
{
    if (robot != NULL) {
        tpi_document_fini(&robot->document);
        free(robot);
    }
}

const char *tpi_robotfile_na(const tpi_robotfile *robot, tpi_command command)
{
    for (unsigned i = 0; i < robot->na.count; i++) {
        if (robot->na.all[i].command == command) {
            return robot->na.all[i].why;
        }
    }
    return NULL;
}
