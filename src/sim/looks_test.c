/* looks_test.c - shapes and poses of a world give the same bodies as the world itself has. */
#include "sim/looks.h"

#include "sim/move/actuators.h"
#include "sim/sketch.h"
#include "support/sim.h"
#include "support/unit.h"

#define MOST 512

/* What a viewer knows. */
struct viewer {
    tpi_sim_looks *looks;
    tpi_sim_pose poses[MOST]; /* of each model, in the frame of its parent */
    tpi_buf moved, shifted;
};

static void look(struct viewer *viewer, const tpi_sim *sim)
{
    tpi_sim_info info;

    assert_true(tpi_sim_model_count(sim) <= MOST);
    tpi_buf_clear(&viewer->moved);
    tpi_buf_clear(&viewer->shifted);
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_model_info(sim, i, &info);
        viewer->poses[i] = tpi_sim_looks_pose(viewer->looks, i);
        if (info.parent == TPI_SIM_NONE) {
            tpi_sim_looks_moved(viewer->looks, i, &viewer->moved, &viewer->shifted);
        }
    }
    const tpi_sim_moved *moved = (const tpi_sim_moved *)(const void *)viewer->moved.data;
    for (size_t i = 0; i < viewer->moved.length / sizeof *moved; i++) {
        viewer->poses[moved[i].model] = moved[i].pose;
    }
}

static struct viewer *open_viewer(const tpi_sim *sim)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);

    assert_non_null(viewer);
    assert_int_equal(tpi_sim_looks_create(&viewer->looks, sim, NULL), TP_OK);
    look(viewer, sim);
    return viewer;
}

static void close_viewer(struct viewer *viewer)
{
    tpi_sim_looks_destroy(viewer->looks);
    tpi_buf_fini(&viewer->moved);
    tpi_buf_fini(&viewer->shifted);
    free(viewer);
}

/* Where a viewer draws a model. */
static tpi_sim_pose place(const struct viewer *viewer, const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(sim, model, &info);
    if (info.parent == TPI_SIM_NONE) {
        return viewer->poses[model];
    }
    const tpi_sim_pose parent = place(viewer, sim, info.parent);
    return tpi_sim_compose(&parent, &viewer->poses[model]);
}

static tpi_sim_shifted shift_of(const struct viewer *viewer, tpi_sim_model model, uint32_t part)
{
    const tpi_sim_shifted *shifted = (const tpi_sim_shifted *)(const void *)viewer->shifted.data;

    for (size_t i = 0; i < viewer->shifted.length / sizeof *shifted; i++) {
        if (shifted[i].model == model && shifted[i].part == part) {
            return shifted[i];
        }
    }
    return (tpi_sim_shifted){0};
}

/* Polygon `index` as a viewer draws it for a model is part `k` of a tree. */
static void same_polygon(const struct viewer *viewer, const tpi_sim *sim, uint32_t index,
                         tpi_sim_model model, uint32_t tree, uint32_t k)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_part *part = &template->parts[k];
    const tpi_sim_pose at = place(viewer, sim, model);
    tpi_sim_look_polygon polygon;
    float xy[2 * MOST];

    tpi_sim_looks_polygon(viewer->looks, index, &polygon);
    assert_int_equal(polygon.count, part->count);
    assert_int_equal(polygon.part, part->role);
    assert_true(polygon.count <= MOST);
    const tpi_sim_shifted shift = shift_of(viewer, model, polygon.part);
    tpi_sim_looks_corners(viewer->looks, index, xy);
    for (uint32_t i = 0; i < part->count; i++) {
        const double vx = template->vx[part->first + i];
        const double vy = template->vy[part->first + i];
        const tpi_sim_pose corner = {.x = (double)xy[2 * i] + shift.x,
                                     .y = (double)xy[2 * i + 1] + shift.y};
        const tpi_sim_pose drawn = tpi_sim_compose(&at, &corner);
        assert_true(fabs(drawn.x - (sim->trees.x[tree] + sim->trees.c[tree] * vx -
                                    sim->trees.s[tree] * vy)) < 1e-5);
        assert_true(fabs(drawn.y - (sim->trees.y[tree] + sim->trees.s[tree] * vx +
                                    sim->trees.c[tree] * vy)) < 1e-5);
    }
    assert_true(fabs(at.z + polygon.z0 + shift.z - sim->trees.z[tree] - part->z0) < 1e-9);
    assert_true(fabs(at.z + polygon.z1 + shift.z - sim->trees.z[tree] - part->z1) < 1e-9);
}

/* Every part of every tree is drawn once, where it is. Returns how many there are. */
static uint32_t same_bodies(const struct viewer *viewer, const tpi_sim *sim)
{
    uint32_t count = 0;

    for (tpi_sim_model model = 0; model < tpi_sim_model_count(sim); model++) {
        const uint32_t tree = sim->tree_of[model];
        const struct sim_template *template = sim->trees.template[tree];
        const uint32_t shape = tpi_sim_looks_shape(viewer->looks, model);
        uint32_t index = 0;
        for (uint32_t k = 0; k < template->part_count; k++) {
            if (template->parts[k].member != model - sim->trees.model[tree]) {
                continue;
            }
            tpi_sim_look_polygon polygon = {.shape = TPI_SIM_NONE};
            assert_int_not_equal(shape, TPI_SIM_NONE);
            while (polygon.shape != shape) {
                assert_true(index < tpi_sim_looks_polygon_count(viewer->looks));
                tpi_sim_looks_polygon(viewer->looks, index++, &polygon);
            }
            same_polygon(viewer, sim, index - 1, model, tree, k);
            count++;
        }
    }
    return count;
}

static const char text[] =
    "name \"test\"\n"
    "define box model ( size [0.3 0.2 0.4] )\n"
    "box ( name \"a\" pose [2 1 0 30] )\n"
    "box ( name \"b\" pose [-2 1 0 -75] )\n"
    "model ( name \"room\" size [10 6 1] boundary 1 )\n"
    "light ( name \"lamp\" pose [0 2 1 0] intensity 4 )\n"
    "floor ( name \"mat\" pose [4.5 0 0 90] size [4 1 0] color \"red\" )\n"
    "position ( name \"r\" pose [0 0 0 40] size [0.5 0.4 0.2] origin [0.1 0 0 10]\n"
    "  model ( name \"tower\" pose [-0.1 0.1 0 20] size [0.1 0.1 0.5]\n"
    "    ranger ( name \"eye\" pose [0 0 0 10] sensor ( range [0 4] samples 3 fov 90 ) ) )\n"
    "  gripper ( name \"hand\" pose [0.3 0 0 15] size [0.1 0.2 0.1] )\n"
    "  actuator ( name \"pan\" type \"rotational\" axis [0 0 1] min_position -2 max_position 2\n"
    "    max_speed 1 size [0.1 0.3 0.1]\n"
    "    model ( name \"head\" pose [0.1 0 0 0] size [0.1 0.1 0.1] ) ) )\n";

static void a_viewer_draws_the_bodies_that_the_world_has(void **state)
{
    tpi_sim *sim = sim_make(text);
    struct viewer *viewer = open_viewer(sim);
    const tpi_sim_model robot = sim_named(sim, "r");
    const double ahead[3] = {0.5, 0, 0.3};

    (void)state;
    assert_int_equal(viewer->moved.length, 0);
    const uint32_t count = same_bodies(viewer, sim);
    assert_true(count > 10);
    tpi_sim_subscribe(sim, robot);
    tpi_sim_subscribe(sim, sim_named(sim, "r.hand"));
    tpi_sim_subscribe(sim, sim_named(sim, "r.pan"));
    assert_int_equal(tpi_sim_drive(sim, robot, TPI_SIM_DRIVE_VELOCITY, ahead, NULL), TP_OK);
    assert_int_equal(tpi_sim_actuator_go(sim, sim_named(sim, "r.pan"), 1.5, 0, NULL), TP_OK);
    assert_int_equal(tpi_sim_grip_do(sim, sim_named(sim, "r.hand"), TPI_SIM_GRIP_CLOSE, NULL),
                     TP_OK);
    for (int i = 0; i < 10; i++) {
        tpi_sim_step(sim);
    }
    look(viewer, sim);
    assert_int_equal(viewer->moved.length / sizeof(tpi_sim_moved), 2); /* r and r.pan */
    assert_int_equal(viewer->shifted.length / sizeof(tpi_sim_shifted), 2);
    assert_int_equal(same_bodies(viewer, sim), count);
    close_viewer(viewer);
    tpi_sim_destroy(sim);
}

static void what_is_put_elsewhere_has_moved_and_what_is_put_back_has_not(void **state)
{
    tpi_sim *sim = sim_make(text);
    struct viewer *viewer = open_viewer(sim);
    const tpi_sim_model tower = sim_named(sim, "r.tower");
    const tpi_sim_model box = sim_named(sim, "a");
    const tpi_sim_pose before = tpi_sim_local_pose(sim, tower);
    const tpi_sim_pose there = {.x = 0.05, .y = -0.05, .z = 0.1, .a = 2};

    (void)state;
    assert_int_equal(tpi_sim_set_pose(sim, tower, &there, NULL), TP_OK);
    assert_int_equal(tpi_sim_set_pose(sim, box, &there, NULL), TP_OK);
    look(viewer, sim);
    assert_int_equal(viewer->moved.length / sizeof(tpi_sim_moved), 2);
    same_bodies(viewer, sim);
    assert_int_equal(tpi_sim_set_pose(sim, tower, &before, NULL), TP_OK);
    look(viewer, sim);
    assert_int_equal(viewer->moved.length / sizeof(tpi_sim_moved), 1);
    same_bodies(viewer, sim);
    close_viewer(viewer);
    tpi_sim_destroy(sim);
}

static void models_that_are_alike_share_a_shape(void **state)
{
    tpi_sim *sim = sim_make(text);
    struct viewer *viewer = open_viewer(sim);

    (void)state;
    const uint32_t a = tpi_sim_looks_shape(viewer->looks, sim_named(sim, "a"));
    assert_int_equal(a, tpi_sim_looks_shape(viewer->looks, sim_named(sim, "b")));
    assert_int_not_equal(a, tpi_sim_looks_shape(viewer->looks, sim_named(sim, "room")));
    assert_int_equal(tpi_sim_looks_shape(viewer->looks, sim_named(sim, "lamp")), TPI_SIM_NONE);
    for (uint32_t i = 1; i < tpi_sim_looks_polygon_count(viewer->looks); i++) {
        tpi_sim_look_polygon before;
        tpi_sim_look_polygon polygon;
        tpi_sim_looks_polygon(viewer->looks, i - 1, &before);
        tpi_sim_looks_polygon(viewer->looks, i, &polygon);
        assert_true(polygon.shape == before.shape || polygon.shape == before.shape + 1);
        assert_true(polygon.shape < tpi_sim_looks_shape_count(viewer->looks));
    }
    close_viewer(viewer);
    tpi_sim_destroy(sim);
}

static void robots_and_what_can_be_dragged_are_known(void **state)
{
    tpi_sim *sim = sim_make(text);
    struct viewer *viewer = open_viewer(sim);

    (void)state;
    assert_true(tpi_sim_looks_is_robot(viewer->looks, sim_named(sim, "r")));
    assert_false(tpi_sim_looks_is_robot(viewer->looks, sim_named(sim, "r.tower")));
    assert_false(tpi_sim_looks_is_robot(viewer->looks, sim_named(sim, "a")));
    assert_true(tpi_sim_looks_drags(viewer->looks, sim_named(sim, "r")));
    assert_true(tpi_sim_looks_drags(viewer->looks, sim_named(sim, "a")));
    assert_true(tpi_sim_looks_drags(viewer->looks, sim_named(sim, "lamp")));
    assert_false(tpi_sim_looks_drags(viewer->looks, sim_named(sim, "r.tower")));
    assert_false(tpi_sim_looks_drags(viewer->looks, sim_named(sim, "room")));
    assert_false(tpi_sim_looks_drags(viewer->looks, sim_named(sim, "mat")));
    assert_int_equal(tpi_sim_look_light_count(sim), 1);
    assert_int_equal(tpi_sim_look_light(sim, 0), sim_named(sim, "lamp"));
    const tpi_sim_bounds bounds = tpi_sim_looks_bounds(viewer->looks);
    assert_true(fabs(bounds.x0 + 5) < 1e-9 && fabs(bounds.x1 - 5) < 1e-9);
    assert_true(fabs(bounds.y0 + 3) < 1e-9 && fabs(bounds.y1 - 3) < 1e-9);
    close_viewer(viewer);
    tpi_sim_destroy(sim);
}

static void what_looks_different_is_counted(void **state)
{
    tpi_sim *sim = sim_make(text);
    const tpi_sim_model robot = sim_named(sim, "r");
    const tpi_sim_stroke stroke = {.kind = TPI_SIM_STROKE_LINE, .colour = 0xff0000ff, .count = 2};
    const double xy[] = {0, 0, 1, 1};
    tpi_buf saved = {0};

    (void)state;
    assert_int_equal(tpi_sim_look_changes(sim), 0);
    assert_int_equal(tpi_sim_look_drawings(sim), 0);
    tpi_sim_save(sim, &saved);
    assert_int_equal(tpi_sim_set_colour(sim, robot, 0x112233ff, NULL), TP_OK);
    assert_int_equal(tpi_sim_look_changes(sim), 1);
    assert_int_equal(tpi_sim_look_colour(sim, robot), 0x112233ff);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    assert_int_equal(tpi_sim_look_changes(sim), 2);
    assert_int_not_equal(tpi_sim_look_colour(sim, robot), 0x112233ff);
    assert_int_equal(tpi_sim_sketch(sim, robot, &stroke, xy, NULL), TP_OK);
    assert_int_equal(tpi_sim_look_drawings(sim), 1);
    tpi_sim_sketch_clear(sim, robot);
    assert_int_equal(tpi_sim_look_drawings(sim), 2);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

static void a_world_without_bodies_has_bounds(void **state)
{
    tpi_sim *sim = sim_make("light ( name \"sun\" intensity 1 )\n");
    struct viewer *viewer = open_viewer(sim);
    const tpi_sim_bounds bounds = tpi_sim_looks_bounds(viewer->looks);

    (void)state;
    assert_true(bounds.x0 < bounds.x1 && bounds.y0 < bounds.y1);
    assert_int_equal(tpi_sim_looks_polygon_count(viewer->looks), 0);
    close_viewer(viewer);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_viewer_draws_the_bodies_that_the_world_has),
        cmocka_unit_test(what_is_put_elsewhere_has_moved_and_what_is_put_back_has_not),
        cmocka_unit_test(models_that_are_alike_share_a_shape),
        cmocka_unit_test(robots_and_what_can_be_dragged_are_known),
        cmocka_unit_test(what_looks_different_is_counted),
        cmocka_unit_test(a_world_without_bodies_has_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
