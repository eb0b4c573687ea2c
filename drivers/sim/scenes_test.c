/* scenes_test.c - a world for programs that draw it: pages, poses, dragging, how often it is sent.
 */
#include "simulator_test.h"

#include <stdio.h>

#include "base/buf.h"
#include "platform/folder.h"
#include "troupe/interfaces/graphics2d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/scene.h"
#include "troupe/interfaces/simulation.h"

#define STILL DATA("yard") " sleep=1 paused=1 model=r0"
#define ALL "world:0 simulation:0 scene:0 position2d:0 ranger:0 laser:0 graphics2d:0"

static const tp_scene_page everything = {0};

static const tp_scene_model *find_model(const tp_scene_models *models, const char *name)
{
    for (uint32_t i = 0; i < models->models_count; i++) {
        if (strcmp(models->models[i].name, name) == 0) {
            return &models->models[i];
        }
    }
    fail_msg("there is no model %s", name);
    return NULL;
}

static const tp_scene_pose *find_pose(const tp_scene_poses *poses, uint32_t model)
{
    for (uint32_t i = 0; i < poses->poses_count; i++) {
        if (poses->poses[i].model == model) {
            return &poses->poses[i];
        }
    }
    return NULL;
}

static uint32_t number_of(stage *s, bench_reader *scene, const char *name)
{
    const tp_scene_models *models = stage_get(s, scene, TP_SCENE_REQ_MODELS, &everything);

    return find_model(models, name)->model;
}

static void drag(stage *s, bench_reader *simulation, const char *name, double x, double y)
{
    const tp_simulation_pose2d_req ask = {.name_count = (uint32_t)strlen(name) + 1,
                                          .name = play_chars(name),
                                          .pose = {.px = x, .py = y, .pa = 0.5}};

    stage_request(s, simulation, TP_SIMULATION_REQ_SET_POSE2D, &ask);
}

/* Where a model is that has been dragged: in the last message, or in one that is to come. */
static const tp_scene_poses *await_pose(bench_reader *r, uint32_t model)
{
    const tp_scene_poses *poses = r->last[TP_SCENE_DATA_POSES] == NULL
                                      ? bench_await_later(r, 0.05, TP_SCENE_DATA_POSES)
                                      : stage_last(r, TP_SCENE_DATA_POSES);

    while (find_pose(poses, model) == NULL) {
        poses = bench_await_later(r, 0.05, TP_SCENE_DATA_POSES);
    }
    return poses;
}

/* ---- What does not change -------------------------------------------------------------------- */

static void a_world_is_described(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    const tp_scene_info *info = stage_get(&s, r, TP_SCENE_REQ_GET_INFO, NULL);
    assert_string_equal(info->title, "yard");
    assert_int_equal(info->models, 2 + 2 * 4);
    assert_int_equal(info->floor.red, 255);
    play_assert_near(info->bounds.x0, -5);
    play_assert_near(info->bounds.x1, 5);
    play_assert_near(info->bounds.y1, 4.1);
    const tp_scene_models *models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &everything);
    assert_int_equal(models->total, 10);
    assert_int_equal(models->models_count, 10);
    const tp_scene_model *robot = find_model(models, "r0");
    assert_string_equal(robot->kind, "position");
    assert_string_equal(robot->devices, "position2d:0 graphics2d:0");
    assert_int_equal(robot->parent, -1);
    assert_true(robot->robot && robot->drags && robot->obstacle && !robot->controlled);
    assert_int_equal(robot->color.blue, 255);
    const tp_scene_model *laser = find_model(models, "r0.laser");
    assert_string_equal(laser->kind, "ranger");
    assert_string_equal(laser->devices, "laser:0");
    assert_int_equal(laser->parent, robot->model);
    play_assert_near(laser->pose.px, 0.1);
    play_assert_near(laser->pose.pz, 0.2); /* it stands on the robot */
    assert_false(laser->robot || laser->drags);
    assert_string_equal(find_model(models, "r10")->devices, "");
    assert_int_equal(find_model(models, "r10")->shape, robot->shape);
    stage_end(&s);
}

static void polygons_are_in_the_frame_of_their_model(void **state)
{
    stage s;
    uint32_t seen = 0;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    const tp_scene_models *models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &everything);
    const int32_t shape = find_model(models, "north")->shape;
    const tp_scene_polygons *polygons = stage_get(&s, r, TP_SCENE_REQ_POLYGONS, &everything);
    assert_int_equal(polygons->total, polygons->polygons_count);
    for (uint32_t i = 0; i < polygons->polygons_count; i++) {
        const tp_scene_polygon *p = &polygons->polygons[i];
        if ((int32_t)p->shape == shape) {
            assert_int_equal(p->xy_count, 8);
            for (uint32_t k = 0; k < 4; k++) {
                play_assert_near(fabs((double)p->xy[2 * k]), 5);
                assert_true(fabs(fabs((double)p->xy[2 * k + 1]) - 0.1) < 1e-6);
            }
            play_assert_near(p->z0, 0);
            play_assert_near(p->z1, 1);
            seen++;
        }
    }
    assert_int_equal(seen, 1);
    stage_end(&s);
}

static void lists_come_page_by_page(void **state)
{
    stage s;
    tp_scene_page page = {.first = 8, .count = 4};

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    const tp_scene_models *models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &page);
    assert_int_equal(models->models_count, 2);
    assert_int_equal(models->models[0].model, 8);
    page = (tp_scene_page){.first = 10};
    models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &page);
    assert_int_equal(models->models_count, 0);
    page = (tp_scene_page){.first = UINT32_MAX, .count = UINT32_MAX};
    models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &page);
    assert_int_equal(models->models_count, 0);
    const tp_scene_polygons *polygons = stage_get(&s, r, TP_SCENE_REQ_POLYGONS, &page);
    assert_int_equal(polygons->polygons_count, 0);
    page = (tp_scene_page){.first = 1, .count = 1};
    polygons = stage_get(&s, r, TP_SCENE_REQ_POLYGONS, &page);
    assert_int_equal(polygons->polygons_count, 1);
    const tp_scene_poses *poses = stage_get(&s, r, TP_SCENE_REQ_POSES, &page);
    assert_int_equal(poses->end, 10);
    page = (tp_scene_page){.first = UINT32_MAX};
    poses = stage_get(&s, r, TP_SCENE_REQ_POSES, &page);
    assert_int_equal(poses->first, 10);
    assert_int_equal(poses->end, 10);
    stage_end(&s);
}

static void lamps_and_paddles_are_told(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 scene:0 gripper:0", DATA("everything") " sleep=1 paused=1");
    bench_reader *r = stage_open(&s, "scene:0");
    const uint32_t lamp = number_of(&s, r, "lamp");
    const tp_scene_poses *poses = stage_get(&s, r, TP_SCENE_REQ_POSES, &everything);
    assert_int_equal(poses->lights_count, 1);
    assert_int_equal(poses->lights[0].model, lamp);
    play_assert_near(poses->lights[0].intensity, 4);
    assert_true(fabs(poses->lights[0].fov - 6.2831853) < 1e-6);
    stage_end(&s);
}

static void drawings_and_colours_are_told(void **state)
{
    stage s;
    tp_point_2d points[2] = {{0, 0}, {1, 0.5}};
    const tp_graphics2d_cmd_polyline line = {
        .points_count = 2, .points = points, .color = {.alpha = 255, .green = 200}};
    const tp_simulation_property_req paint = {.name_count = 3,
                                              .name = play_chars("r0"),
                                              .prop_count = 6,
                                              .prop = play_chars("color"),
                                              .value_count = 5,
                                              .value = play_chars("pink")};

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    bench_reader *pen = stage_open(&s, "graphics2d:0");
    bench_reader *simulation = stage_open(&s, "simulation:0");
    const uint32_t robot = number_of(&s, r, "r0");
    const tp_scene_info *info = stage_get(&s, r, TP_SCENE_REQ_GET_INFO, NULL);
    const uint32_t revision = info->revision;
    assert_int_equal(info->drawings, 0);
    stage_command(&s, pen, TP_GRAPHICS2D_CMD_POLYLINE, &line);
    stage_request(&s, simulation, TP_SIMULATION_REQ_SET_PROPERTY, &paint);
    const tp_scene_drawings *drawings = stage_get(&s, r, TP_SCENE_REQ_DRAWINGS, &everything);
    assert_int_equal(drawings->total, 1);
    assert_int_equal(drawings->strokes_count, 1);
    assert_int_equal(drawings->strokes[0].model, robot);
    assert_int_equal(drawings->strokes[0].kind, TP_SCENE_STROKE_LINE);
    assert_int_equal(drawings->strokes[0].xy_count, 4);
    play_assert_near(drawings->strokes[0].xy[3], 0.5);
    const tp_scene_poses *poses = stage_get(&s, r, TP_SCENE_REQ_POSES, &everything);
    assert_int_not_equal(poses->revision, revision);
    assert_int_not_equal(poses->drawings, 0);
    const tp_scene_models *models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &everything);
    assert_int_equal(find_model(models, "r0")->color.red, 255);
    stage_end(&s);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void pictures_come_in_rows_and_reduced(void **state)
{
    stage s;
    tp_scene_picture_part ask = {.rows = 1};

    (void)state;
    stage_begin(&s, "world:0 scene:0",
                "worldfile=" TEST_ROOT "/worlds/track.world sleep=1 paused=1");
    bench_reader *r = stage_open(&s, "scene:0");
    const tp_scene_models *models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &everything);
    uint32_t width = 0;
    for (uint32_t i = 0; i < models->models_count; i++) {
        if (models->models[i].picture_width > 0) {
            ask.model = models->models[i].model;
            width = models->models[i].picture_width;
        }
    }
    assert_true(width > 16);
    const tp_scene_picture *picture = stage_get(&s, r, TP_SCENE_REQ_PICTURE, &ask);
    assert_int_equal(picture->width, width);
    assert_int_equal(picture->rows, 1);
    assert_int_equal(picture->rgb_count, 3 * width);
    ask = (tp_scene_picture_part){.model = ask.model, .reduce = 4, .top = 2};
    picture = stage_get(&s, r, TP_SCENE_REQ_PICTURE, &ask);
    assert_int_equal(picture->width, (width + 3) / 4);
    assert_int_equal(picture->top, 2);
    assert_true(picture->rows > 0 && picture->rows <= picture->height - 2);
    assert_int_equal(picture->rgb_count, 3 * picture->width * picture->rows);
    ask.top = UINT32_MAX;
    ask.reduce = UINT32_MAX;
    picture = stage_get(&s, r, TP_SCENE_REQ_PICTURE, &ask);
    assert_int_equal(picture->rows, 0);
    assert_int_equal(picture->width, 1);
    ask.model = UINT32_MAX;
    assert_true(bench_request(&s.p->b, r->reader.device, TP_SCENE_REQ_PICTURE, &ask, NULL) < 0);
    assert_memory_equal(s.p->b.err.text, "there is no model 4294967295", 28);
    stage_end(&s);
}

static void a_model_without_a_picture_says_so(void **state)
{
    stage s;
    const tp_scene_picture_part ask = {0};

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    stage_refused(&s, r, TP_SCENE_REQ_PICTURE, &ask, "model 0 has no picture");
    stage_end(&s);
}

/* ---- Poses ----------------------------------------------------------------------------------- */

static void poses_are_sent_while_time_moves_and_not_too_often(void **state)
{
    stage s;
    const tp_position2d_cmd_vel forward = {.vel = {.px = 1}, .state = 1};

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    bench_reader *robot = stage_open(&s, "position2d:0");
    const uint32_t number = number_of(&s, r, "r0");
    stage_command(&s, robot, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 10); /* in no time by the clock */
    assert_true(r->counts[TP_SCENE_DATA_POSES] <= 1);
    bench_move_clock(&s.p->b, 1);
    stage_step(&s, 1);
    const tp_scene_poses *poses = stage_last(r, TP_SCENE_DATA_POSES);
    play_assert_near(poses->time, 1.1);
    assert_int_equal(poses->steps, 11);
    assert_true(poses->paused);
    assert_int_equal(poses->first, 0);
    assert_int_equal(poses->end, 10);
    assert_int_equal(poses->poses_count, 1); /* the others have not moved */
    assert_true(find_pose(poses, number)->px > 0.5);
    play_assert_near(stage_stamp(r, TP_SCENE_DATA_POSES), 1.1);
    stage_end(&s);
}

/* Also a wall, and while time stands still. */
static void what_is_dragged_is_told_while_time_stands_still(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "scene:0");
    bench_reader *simulation = stage_open(&s, "simulation:0");
    const uint32_t robot = number_of(&s, r, "r10");
    const uint32_t wall = number_of(&s, r, "north");
    bench_move_clock(&s.p->b, 1);
    drag(&s, simulation, "r10", 1, -1);
    const tp_scene_poses *poses = await_pose(r, robot);
    play_assert_near(find_pose(poses, robot)->px, 1);
    assert_int_equal(poses->steps, 0);
    drag(&s, simulation, "north", 0.5, 3.5); /* too soon for another message */
    poses = await_pose(r, wall);
    play_assert_near(find_pose(poses, wall)->py, 3.5);
    play_assert_near(find_pose(poses, robot)->px, 1);
    stage_end(&s);
}

static void who_looks_on_takes_no_part_in_lockstep(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " sleep=1 lockstep=1 model=r0");
    bench_reader *r = stage_open(&s, "scene:0");
    bench_reader *simulation = stage_open(&s, "simulation:0");
    const uint32_t robot = number_of(&s, r, "r0");
    const tp_world_state *now = stage_step(&s, 2); /* waits for nobody */
    assert_int_equal(now->participants, 1);
    drag(&s, simulation, "r0", -1, 1);
    const tp_scene_poses *poses = await_pose(r, robot);
    assert_true(poses->lockstep);
    play_assert_near(find_pose(poses, robot)->px, -1);
    stage_end(&s);
}

/* ---- Many ------------------------------------------------------------------------------------ */

/* Robots in rows that turn on the spot, in a file of its own. */
static void write_crowd(char folder[64], char path[96], uint32_t count)
{
    FILE *file;

    assert_int_equal(tpi_folder_make(folder, 64, NULL), TP_OK);
    snprintf(path, 96, "%s/crowd.world", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("name \"crowd\"\ndefine top position ( size [0.2 0.2 0.2] velocity [0 0 0 20] )\n", file);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "top ( name \"p%u\" pose [%u %u 0 0] )\n", i, i % 150, i / 150);
    }
    fclose(file);
}

/* Every message tells of a range, and each begins where the last one has ended. */
static void check_ranges(stage *s, bench_reader *r, uint32_t total)
{
    const tp_scene_poses *poses = stage_get(s, r, TP_SCENE_REQ_POSES, &everything);
    uint32_t next = 0;

    assert_int_equal(poses->poses_count, TP_SCENE_MOST_POSES);
    assert_int_equal(poses->end, TP_SCENE_MOST_POSES);
    const tp_scene_page rest = {.first = poses->end};
    poses = stage_get(s, r, TP_SCENE_REQ_POSES, &rest);
    assert_int_equal(poses->poses_count, total - TP_SCENE_MOST_POSES);
    assert_int_equal(poses->end, total);
    poses = bench_await_later(r, 1, TP_SCENE_DATA_POSES);
    assert_int_equal(poses->first, 0);
    assert_int_equal(poses->poses_count, TP_SCENE_MOST_POSES);
    next = poses->end;
    poses = bench_await_later(r, 1, TP_SCENE_DATA_POSES);
    assert_int_equal(poses->first, next);
    assert_int_equal(poses->end, total);
}

static void all_models_of_a_large_world_are_told_in_bounded_messages(void **state)
{
    enum { ROBOTS = 20000, PAGES = ROBOTS / TP_SCENE_MOST_MODELS };
    char folder[64];
    char path[96];
    char settings[160];
    stage s;
    tp_scene_page page = {0};
    uint32_t shapes = 0;

    (void)state;
    write_crowd(folder, path, ROBOTS);
    snprintf(settings, sizeof settings, "worldfile=%s sleep=1 paused=1", path);
    stage_begin(&s, "world:0 scene:0 position2d:0", settings);
    bench_reader *r = stage_open(&s, "scene:0");
    for (uint32_t i = 0; i < PAGES; i++) {
        page.first = i * TP_SCENE_MOST_MODELS;
        const tp_scene_models *models = stage_get(&s, r, TP_SCENE_REQ_MODELS, &page);
        assert_int_equal(models->total, ROBOTS);
        assert_int_equal(models->models_count, TP_SCENE_MOST_MODELS);
        assert_int_equal(models->models[0].model, page.first);
        shapes += models->models[0].shape == 0;
    }
    assert_int_equal(shapes, PAGES); /* one for all */
    const tp_scene_info *info = stage_get(&s, r, TP_SCENE_REQ_GET_INFO, NULL);
    assert_int_equal(info->shapes, 1);
    stage_step(&s, 1);
    check_ranges(&s, r, ROBOTS);
    stage_end(&s);
    remove(path);
    tpi_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_described),
        cmocka_unit_test(polygons_are_in_the_frame_of_their_model),
        cmocka_unit_test(lists_come_page_by_page),
        cmocka_unit_test(lamps_and_paddles_are_told),
        cmocka_unit_test(drawings_and_colours_are_told),
        cmocka_unit_test(pictures_come_in_rows_and_reduced),
        cmocka_unit_test(a_model_without_a_picture_says_so),
        cmocka_unit_test(poses_are_sent_while_time_moves_and_not_too_often),
        cmocka_unit_test(what_is_dragged_is_told_while_time_stands_still),
        cmocka_unit_test(who_looks_on_takes_no_part_in_lockstep),
        cmocka_unit_test(all_models_of_a_large_world_are_told_in_bounded_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
