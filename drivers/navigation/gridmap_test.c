/* gridmap_test.c - readings of a sonar become cells of a map while the robot moves. */
#include <math.h>
#include <string.h>

#include "conformance/puppet.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/sonar.h"

extern const tp_driver tp_driver_gridmap;

static int8_t map[20 * 10];

/* The map, and where the cell at a place is in it. */
static int8_t cell_at(play *p, double x, double y)
{
    const tp_map_data ask = {.width = 20, .height = 10};
    const tp_map_info *info = play_get(p, TP_MAP_REQ_GET_INFO, NULL);
    const int column = (int)floor((x - info->origin.px) / (double)info->scale);
    const int row = (int)floor((y - info->origin.py) / (double)info->scale);

    assert_int_equal(info->width, 20);
    assert_int_equal(info->height, 10);
    const tp_map_data *data = play_get(p, TP_MAP_REQ_GET_DATA, &ask);
    assert_int_equal(data->data_count, sizeof map);
    memcpy(map, data->data, sizeof map);
    return map[row * 20 + column];
}

static void ping(play *p, double velocity, float range)
{
    float ranges[] = {range};
    const tp_sonar_data sonar = {.ranges_count = 1, .ranges = ranges};
    const tp_position2d_data data = {.pos = {.px = 1, .py = 1.2}, .vel = {.px = velocity}};

    puppet_send(&p->b, "position2d:0", TP_POSITION2D_DATA_STATE, &data);
    puppet_send(&p->b, "sonar:0", TP_SONAR_DATA_RANGES, &sonar);
}

static void what_is_hit_often_is_occupied(void **state)
{
    tp_pose3d pose = {.px = 0.25};
    const tp_sonar_geom geom = {.poses_count = 1, .poses = &pose};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 sonar:0", NULL, NULL);
    puppet_at(&p->b, "sonar:0")->answers[TP_SONAR_REQ_GET_GEOM] = &geom;
    play_add(p, &tp_driver_gridmap, "map:10", "position2d:0 sonar:0",
             "width=20 height=10 scale=0.5 startx=-8 starty=-4 sonartreshold=4 maptreshold=2");
    play_open(p);
    puppet_wait(&p->b, 0);
    assert_int_equal(cell_at(p, 3.75, 1.2), 0); /* nothing is known */
    for (int i = 0; i < 9; i++) {
        ping(p, 0, 2.5F); /* it stands still */
        ping(p, 1, 4.5F); /* too far */
    }
    assert_int_equal(cell_at(p, 3.75, 1.2), 0);
    ping(p, 1, 2.5F);
    ping(p, 1, 2.5F);
    assert_int_equal(cell_at(p, 3.75, 1.2), -1); /* it was not hit often enough */
    ping(p, 1, 2.5F);
    assert_int_equal(cell_at(p, 3.75, 1.2), 1);
    assert_int_equal(cell_at(p, 2.2, 1.2), -1);
    assert_int_equal(cell_at(p, 4.3, 1.2), 0);
    ping(p, 1, 3.6F); /* it was somebody who went away */
    ping(p, 1, 3.6F);
    assert_int_equal(cell_at(p, 3.75, 1.2), -1);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_hit_often_is_occupied),
    };

    return cmocka_run_group_tests_name("gridmap_test", tests, NULL, NULL);
}
