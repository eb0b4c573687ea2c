/* motion_play_file.c - the file of troupe motion play, as frames for this robot. */
#include <stdlib.h>

#include "base/file.h"
#include "motion_play.h"

int motion_play_load(struct play *p)
{
    tpi_buf text = {0};
    tp_error err = {0};
    tp_status status = tpi_file_read(&text, p->file, SEQUENCE_BYTES, &err);

    if (status == TP_OK) {
        status = sequence_read(&p->sequence, text.data != NULL ? text.data : "", text.length,
                               p->file, &err);
    }
    if (status == TP_OK && !sequence_add_rest(&p->sequence)) {
        status = tp_fail(&err, TP_E_NOMEM, "out of memory");
    }
    tpi_buf_fini(&text);
    return status == TP_OK ? EXIT_DONE : mover_fail(&p->mover, &err);
}

/* Which dofs the names of the file are. */
int motion_play_find_names(struct play *p)
{
    const tp_motion_robot *robot = tp_motion_describe(p->mover.robot);
    struct sequence *s = &p->sequence;

    for (size_t i = 0; i < s->name_count; i++) {
        struct sequence_name *name = &s->names[i];
        tp_error err = {0};

        if (tp_motion_find_dof(robot, name->text, &name->joint, &name->dof, &err) != TP_OK) {
            return command_fail(p->mover.remote.command, EXIT_FAILED, "%s:%u:%u: %s", p->file,
                                name->line, name->column, err.text);
        }
    }
    p->targets = calloc(s->name_count + 1, sizeof *p->targets);
    return p->targets != NULL ? EXIT_DONE
                              : command_fail(p->mover.remote.command, EXIT_FAILED, "out of memory");
}

/* Where the file sends each dof at last. */
tp_status motion_play_find_goals(struct play *p, tp_error *err)
{
    const struct sequence *s = &p->sequence;
    const tp_status status = arrival_init(&p->arrival, tp_motion_describe(p->mover.robot), err);

    for (size_t i = 0; status == TP_OK && i < s->frame_count; i++) {
        for (size_t k = 0; k < s->frames[i].count; k++) {
            const struct sequence_target *t = &s->targets[s->frames[i].first + k];
            const struct sequence_name *n = &s->names[t->name];

            if (n->servo == TP_MOTION_POSITION) {
                arrival_expect(&p->arrival, n->joint, n->dof, t->value);
            } else {
                arrival_forget(&p->arrival, n->joint, n->dof);
            }
        }
    }
    return status;
}

/* The commands of a frame: at most one for the base and one for each kind of servo. */
size_t motion_play_commands(struct play *p, size_t index, tp_motion_command out[4])
{
    const struct sequence_frame *f = &p->sequence.frames[index];
    const int64_t duration_ns = (int64_t)(paths_duration(&p->sequence, index) * 1e9);
    size_t count = 0, used = 0;

    if (f->base != BASE_NOTHING) {
        out[count++] =
            f->base == BASE_GOTO   ? tp_motion_goto(f->values[0], f->values[1], f->values[2])
            : f->base == BASE_STOP ? tp_motion_brake()
                                   : tp_motion_set_speed(f->values[0], f->values[1], f->values[2]);
    }
    for (uint8_t servo = TP_MOTION_POSITION; servo <= TP_MOTION_FORCE;
         servo = (uint8_t)(servo * 2)) {
        const size_t first = used;

        for (size_t i = 0; i < f->count; i++) {
            const struct sequence_target *t = &p->sequence.targets[f->first + i];
            const struct sequence_name *n = &p->sequence.names[t->name];

            if (n->servo == servo) {
                p->targets[used++] = (tp_motion_target){n->joint, n->dof, t->value};
            }
        }
        if (used > first) {
            out[count++] = tp_motion_move(p->targets + first, (uint16_t)(used - first), servo,
                                          servo == TP_MOTION_POSITION ? duration_ns : 0);
        }
    }
    return count;
}
