/* describe.c - what a host needs beside the image: devices, channels, variables, lines. */
#include <stdlib.h>
#include <string.h>

#include "play/emit.h"

static const char *join_classes(tpi_arena *arena, const tpi_play_node *class)
{
    tpi_buf text = {0};
    const char *joined = NULL;

    for (; class != NULL; class = class->next) {
        tpi_buf_printf(&text, "%s%s", text.length > 0 ? ", " : "", class->text);
    }
    if (!text.failed) {
        joined = tpi_arena_text(arena, tpi_buf_text(&text), text.length);
    }
    tpi_buf_fini(&text);
    return joined;
}

static bool uses_voice(const tpi_play_node *body)
{
    for (const tpi_play_node *node = body->slots[0]; node != NULL; node = node->next) {
        if (node->kind == TPI_PLAY_SAY_STATEMENT) {
            return true;
        }
        for (unsigned i = 0; i < TPI_PLAY_MOST_SLOTS; i++) {
            if (node->slots[i] != NULL && node->slots[i]->kind == TPI_PLAY_BODY &&
                uses_voice(node->slots[i])) {
                return true;
            }
        }
        for (const tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
            if (uses_voice(branch->slots[branch->kind == TPI_PLAY_ELSE_STATEMENT ? 0 : 1])) {
                return true;
            }
        }
    }
    return false;
}

static bool describe_device(tpi_play_program *program, const tpi_play_symbol *s)
{
    tpi_play_device *device = &program->devices[s->index];
    const tpi_play_node *number = s->node->slots[2];

    *device = (tpi_play_device){
        .name = tpi_arena_text(&program->arena, s->name, strlen(s->name)),
        .classes = join_classes(&program->arena, s->node->slots[1]),
        .number = number != NULL ? atoi(number->text) : -1,
        .line = s->line,
        .command = s->command,
        .needs_unit = s->needs_unit,
    };
    return device->name != NULL && device->classes != NULL;
}

static bool describe_channel(tpi_play_program *program, const tpi_play_symbol *s)
{
    const char *text = s->node->slots[1] != NULL ? s->node->slots[1]->text : s->name;

    program->channels[s->index] =
        (tpi_play_channel){tpi_arena_text(&program->arena, s->name, strlen(s->name)),
                           tpi_arena_text(&program->arena, text, strlen(text))};
    return program->channels[s->index].name != NULL && program->channels[s->index].text != NULL;
}

static bool describe_variables(tpi_play_program *program, const tpi_play_names *names)
{
    program->variables =
        tpi_arena_array(&program->arena, names->variable_count + 1, sizeof *program->variables);
    for (const tpi_play_symbol *s = names->first; s != NULL && program->variables != NULL;
         s = s->next) {
        if (s->role == TPI_PLAY_VARIABLE) {
            const char *name = tpi_arena_text(&program->arena, s->name, strlen(s->name));
            if (name == NULL) {
                return false;
            }
            program->variables[program->variable_count++] =
                (tpi_play_variable){name, (uint8_t)s->index};
        }
    }
    return program->variables != NULL;
}

bool tpi_play_describe(tpi_play_compiler *c)
{
    tpi_play_program *program = c->program;
    const bool has_voice = uses_voice(c->tree->body);

    program->device_count = c->names->device_count + has_voice;
    program->channel_count = c->names->channel_count;
    program->devices =
        tpi_arena_array(&program->arena, program->device_count + 1, sizeof *program->devices);
    program->channels =
        tpi_arena_array(&program->arena, program->channel_count + 1, sizeof *program->channels);
    c->functions =
        tpi_arena_array(&c->tree->arena, c->names->function_count + 1, sizeof *c->functions);
    if (program->devices == NULL || program->channels == NULL || c->functions == NULL ||
        !describe_variables(program, c->names)) {
        return false;
    }
    for (const tpi_play_symbol *s = c->names->first; s != NULL; s = s->next) {
        if ((s->role == TPI_PLAY_DEVICE && !describe_device(program, s)) ||
            (s->role == TPI_PLAY_CHANNEL && !describe_channel(program, s))) {
            return false;
        }
    }
    c->voice = has_voice ? (int)c->names->device_count : -1;
    if (has_voice) {
        program->devices[c->voice] =
            (tpi_play_device){"say", "Voice, Display", -1, 0, TPI_WRITE_STRING, false};
    }
    return true;
}

void tpi_play_program_fini(tpi_play_program *program)
{
    tpi_arena_fini(&program->arena);
    tpi_buf_fini(&program->image);
    tpi_buf_fini(&program->lines);
}

unsigned tpi_play_program_line(const tpi_play_program *program, uint16_t pc)
{
    const tpi_play_line *lines = (const tpi_play_line *)(const void *)program->lines.data;
    size_t low = 0, high = program->lines.length / sizeof *lines;

    while (low < high) { /* they are in the order of their places */
        const size_t middle = (low + high) / 2;
        if (lines[middle].pc < pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? lines[low - 1].line : 0;
}
