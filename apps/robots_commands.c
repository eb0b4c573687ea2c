/* robots_commands.c - the universal commands as tables; see robots_text.h. */
#include <stdio.h>
#include <string.h>

#include "robots_text.h"
#include "table.h"

/* "power double -100..100", "timeout u16 = 1000" */
static size_t put_slot(char *out, size_t size, const tpi_entry_value *slot)
{
    const bool is_plain = slot->kind != TPI_KIND_DOUBLE && slot->kind != TPI_KIND_U8;
    size_t at = (size_t)snprintf(out, size, "%s %s", slot->name, tpi_kind_name(slot->kind));

    if (!is_plain && slot->high > slot->low && at < size) {
        at += (size_t)snprintf(out + at, size - at, " %g..%g", slot->low, slot->high);
    }
    if (slot->missing != 0 && at < size) {
        at += (size_t)snprintf(out + at, size - at, " = %g", slot->missing);
    }
    return at;
}

static const char *put_slots(char *out, size_t size, const tpi_entry_value *slots)
{
    size_t at = 0;

    snprintf(out, size, "-");
    for (; slots->name != NULL && at < size; slots++) {
        at += (size_t)snprintf(out + at, size - at, "%s", at > 0 ? ", " : "");
        at += at < size ? put_slot(out + at, size - at, slots) : 0;
    }
    return out;
}

/* "LocoMotor 19"; "-" for a command without a port. */
static const char *put_type(char *out, size_t size, tpi_command command)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);

    snprintf(out, size, "-");
    if (entry->has_port) {
        snprintf(out, size, "%s %u", tpi_dictionary_type_of(command), (unsigned)entry->type);
    }
    return out;
}

void robots_put_commands(tpi_buf *out)
{
    static const char *const headings[] = {"CODE",    "COMMAND", "PORT",        "VALUES",
                                           "RESULTS", "PARENT",  "DESCRIPTION", NULL};
    struct table table;
    char values[120], results[120], type[40];

    table_init(&table, headings);
    for (int i = 0; i < TPI_COMMANDS; i++) {
        const tpi_entry *entry = tpi_dictionary_entry((tpi_command)i);
        table_cell(&table, "0x%04X", entry->code);
        table_cell(&table, "%s", entry->name);
        table_cell(&table, "%s", put_type(type, sizeof type, (tpi_command)i));
        table_cell(&table, "%s", put_slots(values, sizeof values, entry->values));
        table_cell(&table, "%s", put_slots(results, sizeof results, entry->results));
        table_cell(&table, "%s",
                   entry->parent < TPI_COMMANDS ? tpi_dictionary_entry(entry->parent)->name : "-");
        table_cell(&table, "%s", entry->text);
    }
    table_put(out, &table, 0, 0);
    table_fini(&table);
}

/* ---- The page ---- */

static void put_command_rows(tpi_buf *out)
{
    char values[120], results[120], type[40];

    tpi_buf_puts(out, "| code | command | default port | values | results | what it does |\n"
                      "|---|---|---|---|---|---|\n");
    for (int i = 0; i < TPI_COMMANDS; i++) {
        const tpi_entry *entry = tpi_dictionary_entry((tpi_command)i);
        const char *port = put_type(type, sizeof type, (tpi_command)i);
        tpi_buf_printf(out, "| %04X | %s | %s | %s | %s | %s |\n", entry->code, entry->name,
                       entry->has_port ? port : "none",
                       put_slots(values, sizeof values, entry->values),
                       put_slots(results, sizeof results, entry->results), entry->text);
    }
}

void robots_put_page(tpi_buf *out)
{
    put_command_rows(out);
    tpi_buf_puts(out, "\n| type | device |\n|---|---|\n");
    for (unsigned i = 0; i < TPI_TYPE_FIRST_OWN; i++) {
        if (tpi_dictionary_type(i) != NULL) {
            tpi_buf_printf(out, "| %u | %s |\n", i, tpi_dictionary_type(i));
        }
    }
    tpi_buf_printf(out, "| %d to 254 | registered devices |\n| 255 | of Stop: everything |\n",
                   TPI_TYPE_FIRST_OWN);
    tpi_buf_puts(out, "\n| comparison | WaitTrigger ends when the reading is |\n|---|---|\n");
    for (unsigned i = 0; i < TPI_COMPARISONS; i++) {
        tpi_buf_printf(out, "| %u | %s |\n", i, tpi_comparison_text(i));
    }
}
