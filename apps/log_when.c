/* log_when.c - when troupe log records: conditions on numbers of the devices; see log.h. */
#include <stdlib.h>
#include <string.h>

#include "log.h"

static const char name[] = "log";

int log_condition_read(struct log_condition *c, const char *option, const char *text)
{
    const size_t end = strcspn(text, "<>"), slash = strcspn(text, "/");
    char *rest = NULL;

    *c = (struct log_condition){.text = text};
    if (text[end] != '\0' && slash > 0 && slash + 1 < end && end - slash < sizeof c->path &&
        slash < sizeof c->device - 2) {
        const bool equal = text[end + 1] == '=';

        c->above = text[end] == '>';
        c->equal = equal;
        c->limit = strtod(text + end + 1 + equal, &rest);
        (void)snprintf(c->device, sizeof c->device, "%.*s%s", (int)slash, text,
                       memchr(text, ':', slash) == NULL ? ":0" : "");
        (void)snprintf(c->path, sizeof c->path, "%.*s", (int)(end - slash - 1), text + slash + 1);
    }
    return rest != NULL && *rest == '\0' && rest[-1] != '=' && rest[-1] != '<' && rest[-1] != '>'
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE,
                              "%s \"%s\" is no condition: \"laser:0/ranges[90]<0.5\" is one",
                              option, text);
}

int log_condition_bind(struct log_condition *c, const char *device, const tp_interface *interface)
{
    tp_error err = {.text = "it sends no data"};
    bool told = false; /* the error is that of the first message */

    if (c->text == NULL || strcmp(c->device, device) != 0) {
        return EXIT_DONE;
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];

        if (what->kind != TP_KIND_DATA || what->ask == NULL) {
            continue;
        }
        if (tpi_log_field_find(&c->field, what->ask, c->path, told ? NULL : &err) == TP_OK) {
            c->code = what->code;
            c->bound = true;
            return EXIT_DONE;
        }
        told = true;
    }
    return command_fail(name, EXIT_FAILED, "%s: %s", c->text, err.text);
}

bool log_condition_see(struct log_condition *c, const char *device, unsigned code,
                       const void *value)
{
    double number = 0;

    if (c->bound && c->code == code && strcmp(c->device, device) == 0 && value != NULL &&
        tpi_log_field_number(&c->field, value, &number)) {
        c->is_true =
            (c->above ? number > c->limit : number < c->limit) || (c->equal && number == c->limit);
        return true;
    }
    return false;
}

int log_condition_check(const struct log_condition *c)
{
    return c->text == NULL || c->bound
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s: %s is not recorded", c->text, c->device);
}
