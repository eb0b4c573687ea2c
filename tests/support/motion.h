/* motion.h - a bench of the engine with a robot of the folder robots; see motion/engine_test.h. */
#ifndef TROUPE_TESTS_MOTION_H
#define TROUPE_TESTS_MOTION_H

#include "motion/engine_test.h"
#include "support/kinematics.h"

static inline tpi_motion_model *bench_model(const char *file)
{
    tpi_motion_model *model = NULL;
    tpi_buf text = robot_text(file);
    tp_error err = {0};

    if (tpi_motion_model_read(&model, text.data, text.length, file, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_buf_fini(&text);
    return model;
}

/* A bench with the arm of puma560.urdf: output 0 has its six dofs, output 1 the gripper. All take
 * `servo`. */
static inline struct bench *bench_arm(uint8_t servo)
{
    struct bench *b = calloc(1, sizeof *b);

    b->model = bench_model("puma560.urdf");
    tpi_motion_model_fill(b->model, &b->robot);
    for (uint16_t i = 0; i < 8; i++) {
        b->places[i] = (tpi_motion_place){i < 6    ? 0
                                          : i == 6 ? 1
                                                   : TPI_MOTION_NOWHERE,
                                          i < 6 ? i : 0};
        if (i < 7) {
            b->robot.joints[i + 1].dofs[0].servo = servo;
        }
    }
    b->robot.frames[0].servo = servo;
    b->robot.places = b->places;
    b->robot.outputs = 2;
    b->robot.period_ns = 10 * BENCH_MS;
    b->robot.updates = UINT32_MAX;
    return bench_begin(b, NULL);
}

#endif
