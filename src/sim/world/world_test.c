/*
 * world_test.c - what world files mean: macros, names, units, bodies, sensors, old spellings.
 */
#include <unistd.h>

#include "base/file.h"
#include "support/sim.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static tpi_sim_sensor sensor_of(const tpi_sim *sim, const char *name, uint32_t index)
{
    tpi_sim_sensor sensor;
    tp_error err = {0};

    tpi_sim_get_sensor(sim, sim_named(sim, name), index, &sensor, &err);
    assert_string_equal(err.text, "");
    return sensor;
}

/* The corners of all parts of a model that stands alone, in its frame: "0,0 1,0 1,1 z 0..1; ". */
static void has_parts(const tpi_sim *sim, const char *name, const char *wanted)
{
    const struct sim_template *template = sim->trees.template[sim->tree_of[sim_named(sim, name)]];
    tpi_buf text = {0};

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            tpi_buf_printf(&text, "%.4g,%.4g ", template->vx[k] + 0.0, template->vy[k] + 0.0);
        }
        tpi_buf_printf(&text, "z %.4g..%.4g; ", part->z0, part->z1);
    }
    assert_string_equal(tpi_buf_text(&text), wanted);
    tpi_buf_fini(&text);
}

/* ---- The world ------------------------------------------------------------------------------- */

static void an_empty_world_has_the_usual_properties(void **state)
{
    tpi_sim *sim = sim_make("# nothing\n");

    (void)state;
    assert_int_equal(tpi_sim_model_count(sim), 0);
    assert_int_equal(tpi_sim_interval_us(sim), 100000);
    assert_int_equal(tpi_sim_quit_us(sim), 0);
    assert_string_equal(tpi_sim_name(sim), "x.world");
    sim_steps(sim, 3);
    assert_int_equal(tpi_sim_time_us(sim), 300000);
    tpi_sim_destroy(sim);
}

static void properties_of_the_world_are_read(void **state)
{
    tpi_sim *sim = sim_make("name \"home\" interval_sim 20 quit_time 1.5 resolution 0.02 threads 4 "
                            "show_clock 1 speedup -1 paused 0 gui_interval 20 interval_real 10\n"
                            "window ( size [500 500] whatever 3 scale 10 show_data 1 )");

    (void)state;
    assert_string_equal(tpi_sim_name(sim), "home");
    assert_int_equal(tpi_sim_interval_us(sim), 20000);
    assert_int_equal(tpi_sim_quit_us(sim), 1500000);
    assert_int_equal(tpi_sim_model_count(sim), 0);
    tpi_sim_destroy(sim);
}

static void units_scale_lengths_and_angles(void **state)
{
    tpi_sim *sim = sim_make("unit_length \"cm\" unit_angle \"radians\"\n"
                            "model ( name \"m\" pose [100 200 10 1.5] size [50 40 99] mass 5 )\n"
                            "position ( name \"r\" pose [500 0 0 0] ranger ( sensor ( range [10 "
                            "400] fov 1.5 samples 3 ) ) )");

    (void)state;
    sim_assert_at(sim, "m", 1, 2, 0.1, 1.5);
    sim_assert_close(sim_info(sim, "m").size[0], 0.5);
    sim_assert_close(sensor_of(sim, "r.ranger:0", 0).range_min, 0.1);
    sim_assert_close(sensor_of(sim, "r.ranger:0", 0).range_max, 4);
    sim_assert_close(sensor_of(sim, "r.ranger:0", 0).fov, 1.5);
    tpi_sim_destroy(sim);
}

/* ---- Macros ---------------------------------------------------------------------------------- */

static void macros_give_what_their_use_overrides(void **state)
{
    tpi_sim *sim = sim_make(
        "define base position ( size [1 2 3] color \"blue\"\n"
        "  ranger ( name \"one\" pose [0 0 -3 0] sensor ( ) ) )\n"
        "define bot base ( size [0.5 0.5 0.5] )\n" /* a chain */
        "bot ( name \"a\" pose [1 0 0 0] color \"green\" ranger ( name \"two\" sensor ( ) ) )\n"
        "base ( name \"b\" pose [5 0 0 0] )\n");

    (void)state;
    assert_int_equal(sim_info(sim, "a").kind, TPI_SIM_POSITION);
    sim_assert_close(sim_info(sim, "a").size[1], 0.5);
    assert_int_equal(sim_info(sim, "a").colour, 0x00ff00ff);
    sim_assert_close(sim_info(sim, "b").size[1], 2);
    assert_int_equal(sim_info(sim, "b").colour, 0x0000ffff);
    assert_int_equal(sim_named(sim, "a.one"), sim_named(sim, "a") + 1); /* the macro's come first */
    assert_int_equal(sim_named(sim, "a.two"), sim_named(sim, "a") + 2);
    assert_int_equal(tpi_sim_find(sim, "b.two"), TPI_SIM_NONE);
    tpi_sim_destroy(sim);
}

static void macros_may_be_used_before_those_in_them_are_defined(void **state)
{
    tpi_sim *sim =
        sim_make_noted("define eye ranger ( dot ( ) dot ( pose [1 0 0 0] ) )\n"
                       "define dot sensor ( range [0 3] )\n"
                       "define box block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0 "
                       "1] z [0 1] )\n"
                       "define model position ( size [1 1 1] )\n" /* shadows the kind */
                       "model ( name \"r\" eye ( ) box ( ) )",
                       "x.world:4:8: \"model\" is built in; from here on it is this macro");

    (void)state;
    assert_int_equal(sim_info(sim, "r").kind, TPI_SIM_POSITION);
    assert_int_equal(tpi_sim_sensor_count(sim, sim_named(sim, "r.ranger:0")), 2);
    sim_assert_close(sensor_of(sim, "r.ranger:0", 1).pose.x, 1);
    has_parts(sim, "r", "-0.5,-0.5 0.5,-0.5 -0.5,0.5 z 0..1; ");
    tpi_sim_destroy(sim);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void models_have_the_names_of_stage(void **state)
{
    tpi_sim *sim = sim_make(
        "define bot position ( size [0.4 0.4 0.2] ranger ( sensor ( ) ) ranger ( sensor ( ) ) )\n"
        "bot ( name \"r0\" ) bot ( pose [1 0 0 0] )\n"
        "model ( pose [5 0 0 0] ) model ( pose [6 0 0 0] name \"m\"\n"
        "  model ( name \"in\" ranger ( name \"eye\" pose [0 0 -2 0] sensor ( ) ) ) model ( name "
        "\"/free\" ) )");
    static const char *const names[] = {
        "r0",      "r0.ranger:0", "r0.ranger:1", "position:1", "position:1.ranger:1",
        "model:0", "m",           "m.in",        "m.in.eye",   "free"};
    static const char *const others[][2] = {{"position:0", "r0"},
                                            {"model:1", "m"},
                                            {"m.model:0", "m.in"},
                                            {"m.in.ranger:0", "m.in.eye"},
                                            {"m.model:1", "free"}};
    tpi_buf text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tpi_buf_clear(&text);
        tpi_sim_put_name(sim, sim_named(sim, names[i]), &text);
        assert_string_equal(tpi_buf_text(&text), names[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(sim_named(sim, others[i][0]), sim_named(sim, others[i][1]));
    }
    assert_int_equal(tpi_sim_find(sim, "r1"), TPI_SIM_NONE);
    assert_int_equal(tpi_sim_find(sim, "r0.ranger:2"), TPI_SIM_NONE);
    assert_int_equal(tpi_sim_find(sim, ""), TPI_SIM_NONE);
    tpi_buf_fini(&text);
    tpi_sim_destroy(sim);
}

/* As in Stage, where the last one takes the name over; the names that they have without it stay. */
static void of_two_with_one_name_the_later_has_it(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "model ( name \"x\" pose [9 9 0 0] )\nposition ( name \"x\" pose [-9 0 0 0] )\n"
        "model ( name \"t\" model ( name \"c\" pose [1 0 0 0] model ( name \"d\" ) )\n"
        " position ( name \"c\" pose [2 0 0 0] ) )\n"
        "ranger ( model ( name \"/g\" ) pose [0 9 0 0] sensor ( ) ) position ( name \"g\" pose [9 "
        "0 0 0] )",
        "x.world:2:1: the name \"x\" is that of x.world:1:1, too; from here on it is this model's\n"
        "x.world:4:2: the name \"c\" is that of x.world:3:18, too; from here on it is this "
        "model's\n"
        "x.world:5:58: the name \"g\" is that of x.world:5:10, too; from here on it is this "
        "model's");

    (void)state;
    assert_int_equal(sim_info(sim, "x").kind, TPI_SIM_POSITION);
    assert_int_equal(sim_info(sim, "model:0").kind, TPI_SIM_PLAIN);
    assert_int_equal(sim_named(sim, "position:0"), sim_named(sim, "x"));
    assert_int_equal(sim_info(sim, "t.c").kind, TPI_SIM_POSITION);
    assert_int_equal(sim_info(sim, "t.model:0").kind, TPI_SIM_PLAIN);
    assert_int_equal(sim_named(sim, "t.c.d"), sim_named(sim, "t.model:0.model:0"));
    assert_int_equal(sim_info(sim, "g").kind, TPI_SIM_POSITION);
    tpi_sim_destroy(sim);
}

static void families_are_consecutive(void **state)
{
    tpi_sim *sim = sim_make("model ( name \"a\" model ( model ( ) model ( ) ) model ( ) )");
    static const uint32_t sizes[] = {5, 3, 1, 1, 1};
    static const uint32_t parents[] = {TPI_SIM_NONE, 0, 1, 1, 0};
    tpi_sim_info info;

    (void)state;
    assert_int_equal(tpi_sim_model_count(sim), 5);
    for (uint32_t i = 0; i < 5; i++) {
        tpi_sim_model_info(sim, i, &info);
        assert_int_equal(info.family, sizes[i]);
        assert_int_equal(info.parent, parents[i]);
    }
    tpi_sim_destroy(sim);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void a_model_is_a_box_of_its_size(void **state)
{
    tpi_sim *sim =
        sim_make("model ( name \"a\" ) model ( name \"b\" size [2 1 0.5] pose [9 0 0 0] )"
                 "model ( name \"c\" noblocks 1 pose [0 9 0 0] )"
                 "model ( name \"d\" size [2 1 1] origin [1 0 0.5 90] pose [9 9 0 0] )");

    (void)state;
    has_parts(sim, "a", "-0.2,-0.2 0.2,-0.2 0.2,0.2 -0.2,0.2 z 0..1; ");
    has_parts(sim, "b", "-1,-0.5 1,-0.5 1,0.5 -1,0.5 z 0..0.5; ");
    has_parts(sim, "c", "");
    has_parts(sim, "d", "1.5,-1 1.5,1 0.5,1 0.5,-1 z 0.5..1.5; ");
    tpi_sim_destroy(sim);
}

/* All blocks together fill the box; z is stretched but not moved; the order becomes
 * counter-clockwise. */
static void blocks_fill_the_box(void **state)
{
    tpi_sim *sim = sim_make("model ( name \"a\" size [4 2 1]\n"
                            "  block ( points 3 point[0] [10 20] point[1] [10 30] point[2] [30 20] "
                            "z [1 2] )\n"
                            "  block ( points 3 point[0] [30 30] point[1] [50 30] point[2] [40 20] "
                            "z [2 3] ) )");

    (void)state;
    has_parts(sim, "a", "0,-1 -2,1 -2,-1 z 0.5..1; 1,-1 2,1 0,1 z 1..1.5; ");
    tpi_sim_destroy(sim);
}

static void a_boundary_is_four_thin_walls(void **state)
{
    tpi_sim *sim = sim_make("model ( name \"a\" size [2 1 1] boundary 1\n"
                            "block ( points 3 point[0] [0 0] point[1] [2 0] point[2] [0 1] ) )");

    (void)state;
    has_parts(sim, "a",
              "-1,-0.5 1,-0.5 -1,0.5 z 0..1; "
              "-1,-0.5 -0.99,-0.5 -0.99,0.5 -1,0.5 z 0..1; "
              "0.99,-0.5 1,-0.5 1,0.5 0.99,0.5 z 0..1; "
              "-1,-0.5 1,-0.5 1,-0.49 -1,-0.49 z 0..1; -1,0.49 1,0.49 1,0.5 -1,0.5 z 0..1; ");
    tpi_sim_destroy(sim);
}

/* Without blocks and bitmap it is all that there is, whatever `noblocks` says: a plain room. What
 * is narrower than two walls has none that reach out of it. */
static void a_boundary_alone_is_a_room(void **state)
{
    static const char walls[] =
        "-1,-0.5 -0.99,-0.5 -0.99,0.5 -1,0.5 z 0..2; 0.99,-0.5 1,-0.5 1,0.5 0.99,0.5 z 0..2; "
        "-1,-0.5 1,-0.5 1,-0.49 -1,-0.49 z 0..2; -1,0.49 1,0.49 1,0.5 -1,0.5 z 0..2; ";
    tpi_sim *sim = sim_make("model ( name \"a\" size [2 1 2] boundary 1 )\n"
                            "model ( name \"b\" size [2 1 2] boundary 1 noblocks 1 )\n"
                            "model ( name \"c\" size [2 0.01 2] boundary 1 )\n"
                            "position ( name \"d\" pose [9 9 0 0] size [2 1 2] boundary 1 )\n");

    (void)state;
    has_parts(sim, "a", walls);
    has_parts(sim, "b", walls);
    has_parts(sim, "c",
              "-1,-0.005 -0.99,-0.005 -0.99,0.005 -1,0.005 z 0..2; "
              "0.99,-0.005 1,-0.005 1,0.005 0.99,0.005 z 0..2; "
              "-1,-0.005 1,-0.005 1,0 -1,0 z 0..2; -1,0 1,0 1,0.005 -1,0.005 z 0..2; ");
    assert_int_equal(sim->trees.template[sim->tree_of[sim_named(sim, "d")]] -> part_count, 5);
    tpi_sim_destroy(sim);
}

/* A robot in a room sees its walls, all round, and stops at them. */
static void a_room_has_a_robot_in_it(void **state)
{
    const double wanted[] = {1.99, 0.99, 1.99, 0.99};
    const double ahead[] = {1, 0, 0};
    tpi_sim_scan scan;
    tpi_sim *sim = sim_make(
        "model ( size [4 2 1] boundary 1 )\n"
        "position ( name \"r\" size [0.4 0.4 0.2] ranger ( sensor ( ) sensor ( pose [0 0 0 90] )\n"
        "sensor ( pose [0 0 0 180] ) sensor ( pose [0 0 0 270] ) ) )");

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "r.ranger:0"));
    tpi_sim_step(sim);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:0"), i, &scan, NULL),
                         TP_OK);
        sim_assert_close(scan.ranges[0], wanted[i]);
    }
    tpi_sim_subscribe(sim, sim_named(sim, "r"));
    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, ahead, NULL),
                     TP_OK);
    sim_steps(sim, 50);
    assert_true(fabs(tpi_sim_global_pose(sim, sim_named(sim, "r")).x - 1.79) < 0.001);
    tpi_sim_destroy(sim);
}

/* White margins are cut away, and y points up. */
static void a_bitmap_is_traced(void **state)
{
    static const char picture[] = "P2 6 5 255\n"
                                  "255 255 255 255 255 255\n"
                                  "255   0   0   0 255 255\n"
                                  "255   0 255   0 255 255\n"
                                  "255   0   0 127 128 255\n"
                                  "255 255 255 255 255 255\n";
    static const char world[] = "model ( name \"a\" size [3 3 2] bitmap \"x.pgm\" )";
    char folder[] = "/tmp/troupe-world-XXXXXX";
    char path[64];
    char bitmap[64];
    tpi_sim *sim = NULL;
    tp_error err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.world", folder);
    snprintf(bitmap, sizeof bitmap, "%s/x.pgm", folder);
    assert_int_equal(tpi_file_write(bitmap, picture, sizeof picture - 1, &err), TP_OK);
    assert_int_equal(tpi_file_write(path, world, sizeof world - 1, &err), TP_OK);
    tpi_sim_load(&sim, path, NULL, &err);
    assert_string_equal(err.text, "");
    has_parts(sim, "a",
              "1.5,-1.5 1.5,1.5 -1.5,1.5 -1.5,-1.5 z 0..2; "
              "0.5,0.5 0.5,-0.5 -0.5,-0.5 -0.5,0.5 z 0..2; ");
    tpi_sim_destroy(sim);
    unlink(bitmap);
    unlink(path);
    rmdir(folder);
}

static void children_stand_on_their_parents(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" pose [1 2 0 90] size [1 1 0.5]\n"
                            "  model ( name \"up\" pose [1 0 0.1 90] size [1 1 2] model ( name "
                            "\"top\" pose [0 1 0 0] ) ) )\n"
                            "position ( name \"s\" pose [9 2 0 0] stack_children 0 model ( name "
                            "\"in\" pose [0.1 0 0.2 0] ) )");

    (void)state;
    sim_assert_at(sim, "r.up", 1, 3, 0.6, SIM_PI);
    sim_assert_at(sim, "r.up.top", 1, 2, 2.6, SIM_PI);
    sim_assert_at(sim, "s.in", 9.1, 2, 0.2, 0);
    sim_assert_close(tpi_sim_local_pose(sim, sim_named(sim, "r.up")).x, 1);
    tpi_sim_destroy(sim);
}

static void colours_are_named_or_numbers(void **state)
{
    tpi_sim *sim = sim_make("model ( name \"a\" ) model ( name \"b\" color \"LightSkyBlue\" )"
                            "model ( name \"c\" color_rgba [0 0.5 1 0.25] )"
                            "model ( name \"d\" color_rgba [0 0.5 1 0.25] color \"white\" )"
                            "model ( name \"e\" color \"random\" ) model ( name \"f\" color "
                            "\"random\" )");

    (void)state;
    assert_int_equal(sim_info(sim, "a").colour, 0xff0000ff);
    assert_int_equal(sim_info(sim, "b").colour, 0x87cefaff);
    assert_int_equal(sim_info(sim, "c").colour, 0x0080ff40);
    assert_int_equal(sim_info(sim, "d").colour, 0xffffffff);
    assert_int_not_equal(sim_info(sim, "e").colour, sim_info(sim, "f").colour);
    tpi_sim_destroy(sim);
}

/* ---- Rangers --------------------------------------------------------------------------------- */

static void sensors_have_the_defaults_of_stage(void **state)
{
    tpi_sim *sim = sim_make("ranger ( name \"r\" sensor ( ) )");
    const tpi_sim_sensor sensor = sensor_of(sim, "r", 0);
    tpi_sim_sensor none;
    tp_error err;

    (void)state;
    sim_assert_close(sensor.range_min, 0);
    sim_assert_close(sensor.range_max, 5);
    sim_assert_close(sensor.fov, 0.1);
    sim_assert_close(sensor.size[2], 0.02);
    assert_int_equal(sensor.samples, 1);
    has_parts(sim, "r", ""); /* no body */
    assert_int_equal(tpi_sim_get_sensor(sim, sim_named(sim, "r"), 1, &none, &err), TP_E_RANGE);
    assert_string_equal(err.text, "the ranger has 1 sensors; there is no number 1");
    tpi_sim_destroy(sim);
}

/* What a sensor sees of a wall 2 m ahead, which is 0.5 m high and starts at 0.3 m. */
static void rays_leave_at_the_height_of_their_sensor(void **state)
{
    static const struct {
        const char *sensor;
        double range;
    } cases[] = {
        {"pose [0 0 0.1 0]", 1.5},
        {"pose [0 0 0 0]", 5},
        {"size [1 1 0.2]", 1.5},
        {"pose [0 0 0.6 0] size [1 1 0]", 1.5},
        {"pose [0 0 0.61 0]", 5},
        {"pose [0.5 0 0.3 0]", 1},
        {"pose [0 0 0.3 180]", 5},
        {"pose [0 0 0.3 0] range [0 1]", 1},
        {"pose [0 0 0.3 0] range [1.75 5]", 1.75},
    };
    char text[512];
    tpi_sim_scan scan;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text,
                 "position ( name \"r\" size [0.1 0.1 0.2] ranger ( alwayson 1 sensor ( %s ) ) )"
                 "model ( pose [2 0 0.3 0] size [1 1 0.5] ) model ( pose [99 0 0 0] )",
                 cases[i].sensor);
        tpi_sim *sim = sim_make(text);
        tpi_sim_step(sim);
        assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:0"), 0, &scan, NULL),
                         TP_OK);
        sim_assert_close(scan.ranges[0], cases[i].range);
        sim_assert_close((double)scan.intensities[0],
                         cases[i].range == 1.5 || i == 5 || i == 8 ? 1 : 0);
        tpi_sim_destroy(sim);
    }
}

/* ---- Old files ------------------------------------------------------------------------------- */

static void old_words_are_understood(void **state)
{
    tpi_sim *sim = sim_make_noted(
        "map ( name \"m\" pose [9 9 45] size [3 2] )\n"
        "position ( name \"r\"\n"
        "  laser ( range_max 8 fov 90 samples 361 laser_return 1 )\n"
        "  sonar ( scount 2 spose[0] [0.1 0 0] spose[1] [0 0.1 90] sview [0.2 3 15] ssize [0.01 "
        "0.05] ) )\n"
        "puck ( name \"p\" pose [5 5 0 0] )",
        "x.world:1:1: \"map\" is an old word: this is a \"model\" now\n"
        "x.world:1:30: \"size\" has two values, as in old files; the height stays 1 m\n"
        "x.world:1:16: \"pose\" has three values, as in old files: x, y and heading\n"
        "x.world:3:3: \"laser\" is an old word: this is a \"ranger\" now\n"
        "x.world:3:42: \"laser_return\" is called \"ranger_return\" now\n"
        "x.world:4:3: \"sonar\" is an old word: this is a \"ranger\" now\n"
        "x.world:5:1: \"puck\" is an old word: this is a \"model\" now\n"
        "x.world:3:3: the ranger looks out at 1.01 m and sees nothing: all else in the world ends "
        "at 1 m; is what it stands on too high?");

    (void)state;
    sim_assert_at(sim, "m", 9, 9, 0, SIM_PI / 4);
    sim_assert_close(sim_info(sim, "m").size[0], 3);
    sim_assert_close(sim_info(sim, "m").size[2], 1);
    assert_int_equal(sensor_of(sim, "r.ranger:0", 0).samples, 361);
    sim_assert_close(sensor_of(sim, "r.ranger:0", 0).fov, SIM_PI / 2);
    sim_assert_close(sensor_of(sim, "r.ranger:0", 0).range_max, 8);
    assert_int_equal(tpi_sim_sensor_count(sim, sim_named(sim, "r.ranger:1")), 2);
    sim_assert_close(sensor_of(sim, "r.ranger:1", 1).pose.a, SIM_PI / 2);
    sim_assert_close(sensor_of(sim, "r.ranger:1", 1).range_min, 0.2);
    assert_false(sim_info(sim, "p").obstacle);
    sim_assert_close(sim_info(sim, "p").size[0], 0.08);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_world_has_the_usual_properties),
        cmocka_unit_test(properties_of_the_world_are_read),
        cmocka_unit_test(units_scale_lengths_and_angles),
        cmocka_unit_test(macros_give_what_their_use_overrides),
        cmocka_unit_test(macros_may_be_used_before_those_in_them_are_defined),
        cmocka_unit_test(models_have_the_names_of_stage),
        cmocka_unit_test(of_two_with_one_name_the_later_has_it),
        cmocka_unit_test(families_are_consecutive),
        cmocka_unit_test(a_model_is_a_box_of_its_size),
        cmocka_unit_test(blocks_fill_the_box),
        cmocka_unit_test(a_boundary_is_four_thin_walls),
        cmocka_unit_test(a_boundary_alone_is_a_room),
        cmocka_unit_test(a_room_has_a_robot_in_it),
        cmocka_unit_test(a_bitmap_is_traced),
        cmocka_unit_test(children_stand_on_their_parents),
        cmocka_unit_test(colours_are_named_or_numbers),
        cmocka_unit_test(sensors_have_the_defaults_of_stage),
        cmocka_unit_test(rays_leave_at_the_height_of_their_sensor),
        cmocka_unit_test(old_words_are_understood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
