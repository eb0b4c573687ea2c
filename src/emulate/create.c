/*
 * create.c - an emulated iRobot Create 1 and Create 2: modes, wheels, safety, life; see create.h.
 *
 * Cliff sensors measure light that the floor reflects, so a black floor is a cliff. Robots stop
 * there in safe mode, as real ones do.
 *
 * Not emulated: what the robot does by itself (demos, cleaning, docking), infra-red bytes, brushes.
 * Commands for these are taken and lead to passive mode as on the real robot.
 */
#include "emulate/create.h"

#include <math.h>
#include <string.h>

static const double counts_per_metre = 508.8 / (3.14159265358979323846 * 0.072);

/* ---- Modes and wheels ------------------------------------------------------------------------ */

void tpi_create_drive(tpi_emu *emu, const struct create_drive *drive)
{
    create_of(emu)->drive = *drive;
    tpi_body_drive(&emu->body, drive->left * 1e-3, drive->right * 1e-3);
}

void tpi_create_set_mode(tpi_emu *emu, enum create_mode mode)
{
    struct create *c = create_of(emu);

    if (c->mode == CREATE_OFF && mode != CREATE_PASSIVE && mode != CREATE_OFF) {
        return;
    }
    c->mode = mode;
    if (mode == CREATE_OFF || mode == CREATE_PASSIVE) {
        tpi_create_drive(emu, &(struct create_drive){0});
        c->drivers = 0;
    }
    if (mode == CREATE_OFF) {
        c->stream.runs = false;
        c->script.plays = false;
    }
}

static bool is_in_danger(tpi_emu *emu)
{
    const struct create *c = create_of(emu);
    const bool ahead = c->drive.left + c->drive.right > 0;
    bool cliff = false;

    for (unsigned id = 9; id <= 12; id++) {
        cliff = cliff || tpi_create_value(emu, id, false) != 0;
    }
    return (tpi_create_value(emu, 7, false) & 0x1c) != 0 || (cliff && ahead) ||
           tpi_create_value(emu, 34, false) != 0;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status create_start(tpi_emu *emu, tp_error *err)
{
    struct create *c = create_of(emu);
    struct create_parts *p = &c->parts;
    const struct tpi_emu_part common[] = {{&p->eyes, "eyes"},
                                          {&p->bumpers, "bumpers"},
                                          {&p->cliffs, "cliffs"},
                                          {&p->speaker, "speaker"},
                                          {&p->led, "led"}};
    const struct tpi_emu_part first[] = {
        {&p->cargo, "cargo"}, {&p->buttons[0], "play"}, {&p->buttons[1], "advance"}};
    const struct tpi_emu_part second[] = {
        {&p->buttons[0], "clean"}, {&p->buttons[1], "spot"}, {&p->buttons[2], "dock"}};

    c->second = emu->kind == &tpi_emu_create2;
    p->cargo = p->buttons[2] = TPI_SIM_NONE;
    const tp_status status = tpi_emu_find_parts(emu, common, sizeof common / sizeof common[0], err);
    return status == TP_OK ? tpi_emu_find_parts(emu, c->second ? second : first, 3, err) : status;
}

static void create_reset(tpi_emu *emu)
{
    create_of(emu)->mode = CREATE_OFF;
}

static void create_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct create *c = create_of(emu);

    while (length > 0) {
        const size_t room = CREATE_QUEUE - c->queued;
        const size_t taken = length < room ? length : room;
        memcpy(c->queue + c->queued, bytes, taken);
        c->queued += taken;
        bytes += taken;
        length -= taken;
        tpi_create_pump(emu);
        if (c->queued == CREATE_QUEUE) {
            return; /* it waits, and nothing more fits */
        }
    }
}

static void move(tpi_emu *emu)
{
    struct create_travel *t = &create_of(emu)->travel;
    const double seconds = (double)emu->step_us * 1e-6;
    const double *turned = emu->body.turned;
    const double mm = (turned[0] + turned[1]) / 2 * seconds * 1000;
    const double degrees =
        (turned[1] - turned[0]) / emu->body.track * seconds * 180 / 3.14159265358979323846;

    t->distance_mm += mm;
    t->sum_mm += mm;
    t->angle_deg += degrees;
    t->sum_deg += degrees;
    for (unsigned i = 0; i < 2; i++) {
        t->counts[i] += turned[i] * seconds * counts_per_metre;
    }
}

static void create_tick(tpi_emu *emu)
{
    struct create *c = create_of(emu);

    move(emu);
    if (c->mode == CREATE_SAFE && is_in_danger(emu)) {
        tpi_emu_heard(emu, NULL, 0, "safe mode ends: a cliff, a wheel drop or a charger");
        tpi_create_set_mode(emu, CREATE_PASSIVE);
    }
    tpi_create_pump(emu);
    if (c->stream.runs && emu->now_us >= c->stream.next_us) {
        c->stream.next_us += 15000;
        tpi_create_send_stream(emu);
    }
}

const tpi_emu_kind tpi_emu_create1 = {
    .name = "create1",
    .alias = "create",
    .summary = "iRobot Create 1: Open Interface, serial, 57600 baud",
    .file = "robots/create1.inc",
    .macro = "create1",
    .radius = 0.17,
    .track = 0.258,
    .baud = 57600,
    .state_size = sizeof(struct create),
    .start = create_start,
    .reset = create_reset,
    .input = create_input,
    .tick = create_tick,
};

const tpi_emu_kind tpi_emu_create2 = {
    .name = "create2",
    .summary = "iRobot Create 2 (Roomba 600): Open Interface, serial, 115200 baud",
    .file = "robots/create2.inc",
    .macro = "create2",
    .radius = 0.17,
    .track = 0.235,
    .baud = 115200,
    .state_size = sizeof(struct create),
    .start = create_start,
    .reset = create_reset,
    .input = create_input,
    .tick = create_tick,
};
