/* coherent_test.c - the numbers of one message agree with each other and with their neighbours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/play.h"
#include "troupe/interfaces/all.h"

extern const tp_driver tp_driver_fake;

static const char *const exact = "rate=1000 noise=0";

/* ---- Pictures and points --------------------------------------------------------------------- */

static void assert_is_in_picture(const tp_blobfinder_blob *blob, const tp_blobfinder_data *data)
{
    assert_true(blob->left < blob->x && blob->x < blob->right && blob->right <= data->width);
    assert_true(blob->top < blob->y && blob->y < blob->bottom && blob->bottom <= data->height);
    assert_true(blob->area > 0);
    assert_true(blob->area <= (blob->right - blob->left) * (blob->bottom - blob->top));
    assert_true(blob->range > 0);
}

static void blobs_move_inside_their_picture(void **state)
{
    play *p = play_begin(&tp_driver_fake, "blobfinder:0", exact);
    const tp_blobfinder_data *data = bench_await(&p->r, TP_BLOBFINDER_DATA_BLOBS);
    const uint32_t before = data->blobs[0].x;
    bool moved = false;

    (void)state;
    for (unsigned second = 0; second < 10; second++) {
        data = play_after(p, 1, TP_BLOBFINDER_DATA_BLOBS);
        assert_int_equal(data->width, 160);
        assert_int_equal(data->height, 120);
        assert_int_equal(data->blobs_count, 2);
        assert_is_in_picture(&data->blobs[0], data);
        assert_is_in_picture(&data->blobs[1], data);
        assert_int_not_equal(data->blobs[0].id, data->blobs[1].id);
        moved = moved || data->blobs[0].x != before;
    }
    assert_true(moved);
    play_destroy(p);
}

/* A room of 10 m by 8 m, seen from its centre. */
static void points_are_on_the_walls(void **state)
{
    play *p = play_begin(&tp_driver_fake, "pointcloud3d:0", exact);
    const tp_pointcloud3d_data *data = bench_await(&p->r, TP_POINTCLOUD3D_DATA_STATE);

    (void)state;
    assert_int_equal(data->points_count, 3 * 91);
    for (uint32_t i = 0; i < data->points_count; i++) {
        const tp_pointcloud3d_element *e = &data->points[i];
        assert_true(e->point.px > 0 && e->point.px < 5.000001);
        assert_true(fabs(e->point.py) < 4.000001);
        play_assert_near(e->point.pz, 0.4 * (i / 91));
        play_assert_near(e->point.px, data->points[i % 91].point.px); /* walls are upright */
        assert_int_equal(e->color.alpha, 255);
    }
    play_destroy(p);
}

/* ---- Small values ---------------------------------------------------------------------------- */

static void assert_memory_adds_up(const tp_health_memory *memory)
{
    assert_true(memory->total > 0 && memory->used >= 0 && memory->free >= 0);
    assert_true(memory->used + memory->free == memory->total);
}

static void health_adds_up(void **state)
{
    play *p = play_begin(&tp_driver_fake, "health:0", exact);
    const tp_health_data *data = bench_await(&p->r, TP_HEALTH_DATA_STATE);
    const tp_health_cpu *cpu = &data->cpu_usage;

    (void)state;
    assert_true(cpu->idle >= 0 && cpu->system >= 0 && cpu->user >= 0);
    assert_true(fabsf(cpu->idle + cpu->system + cpu->user - 100) < 0.001f);
    assert_memory_adds_up(&data->mem);
    assert_memory_adds_up(&data->swap);
    play_destroy(p);
}

static void sticks_stay_on_their_scale(void **state)
{
    play *p = play_begin(&tp_driver_fake, "joystick:0", exact);
    const tp_joystick_data *data = bench_await(&p->r, TP_JOYSTICK_DATA_STATE);
    int32_t before = data->pos[0];

    (void)state;
    for (unsigned second = 0; second < 8; second++) {
        data = play_after(p, 1, TP_JOYSTICK_DATA_STATE);
        assert_int_equal(data->axes_count, 2);
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(data->scale[i], i < data->axes_count ? 32767 : 0);
            assert_in_range(data->pos[i] + data->scale[i], 0, 2 * data->scale[i]);
        }
        assert_in_range(data->buttons, 1, 8);
        assert_int_equal(data->buttons & (data->buttons - 1), 0); /* one at a time */
        assert_int_not_equal(data->pos[0], before);
        before = data->pos[0];
    }
    play_destroy(p);
}

static void a_log_does_what_was_switched_last(void **state)
{
    play *p = play_begin(&tp_driver_fake, "log:0", exact);
    const tp_log_set_write_state record = {.state = 1};
    const tp_log_set_read_state rest = {.state = 0};
    const tp_log_get_state *now = play_get(p, TP_LOG_REQ_GET_STATE, NULL);

    (void)state;
    assert_int_equal(now->state, 0);
    play_request(p, TP_LOG_REQ_SET_WRITE_STATE, &record);
    now = play_get(p, TP_LOG_REQ_GET_STATE, NULL);
    assert_int_equal(now->type, TP_LOG_TYPE_WRITE);
    assert_int_equal(now->state, 1);
    play_request(p, TP_LOG_REQ_SET_READ_STATE, &rest);
    now = play_get(p, TP_LOG_REQ_GET_STATE, NULL);
    assert_int_equal(now->type, TP_LOG_TYPE_READ);
    assert_int_equal(now->state, 0);
    play_destroy(p);
}

/* ---- Radios ---------------------------------------------------------------------------------- */

/* Six bytes in hexadecimal, and a NUL. */
static void assert_is_mac(const void *text, size_t size)
{
    unsigned bytes[6];
    char again[18];

    assert_int_equal(size, sizeof again);
    assert_int_equal(sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x", &bytes[0], &bytes[1], &bytes[2],
                            &bytes[3], &bytes[4], &bytes[5]),
                     6);
    snprintf(again, sizeof again, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0] & 255, bytes[1] & 255,
             bytes[2] & 255, bytes[3] & 255, bytes[4] & 255, bytes[5] & 255);
    assert_memory_equal(text, again, sizeof again);
}

static void assert_is_station(const tp_wifi_link *link, const tp_wifi_data *data)
{
    unsigned host = 0;
    char more = 0;

    assert_is_mac(link->mac, link->mac_count);
    assert_int_equal(link->ip_count, strlen((const char *)link->ip) + 1);
    assert_int_equal(sscanf((const char *)link->ip, "192.168.1.%u%c", &host, &more), 1);
    assert_in_range(host, 1, 254);
    assert_true(link->qual <= data->maxqual && link->level <= data->maxlevel);
    assert_true(link->noise <= data->maxnoise && link->noise < link->level);
    assert_in_range(link->freq, 2400, 2500);
}

static void stations_have_addresses(void **state)
{
    play *p = play_begin(&tp_driver_fake, "wifi:0", exact);
    const tp_wifi_data *data = bench_await(&p->r, TP_WIFI_DATA_STATE);

    (void)state;
    assert_int_equal(data->links_count, 2);
    assert_is_station(&data->links[0], data);
    assert_is_station(&data->links[1], data);
    assert_memory_not_equal(data->links[0].mac, data->links[1].mac, 18);
    assert_int_equal(data->qual_type, TP_WIFI_QUAL_REL);
    assert_int_equal(data->mode, TP_WIFI_MODE_INFRA);
    assert_int_equal(data->links[0].mode, TP_WIFI_MODE_MASTER);
    assert_string_equal(data->ap, (const char *)data->links[0].mac);
    assert_true(data->throughput <= data->bitrate);
    const tp_wifi_mac_req *own = play_get(p, TP_WIFI_REQ_MAC, NULL);
    assert_is_mac(own->mac, own->mac_count);
    assert_memory_not_equal(own->mac, data->links[0].mac, 18);
    play_destroy(p);
}

static void tags_differ_and_stay_the_same(void **state)
{
    play *p = play_begin(&tp_driver_fake, "rfid:0", exact);
    char first[8];

    (void)state;
    const tp_rfid_data *data = bench_await(&p->r, TP_RFID_DATA_TAGS);
    memcpy(first, data->tags[0].guid, sizeof first);
    for (unsigned i = 0; i < 20; i++) {
        data = play_after(p, 1, TP_RFID_DATA_TAGS);
        assert_in_range(data->tags_count, 1, 3);
        for (uint32_t k = 0; k < data->tags_count; k++) {
            assert_int_equal(data->tags[k].guid_count, sizeof first);
            assert_true((k == 0) == (memcmp(data->tags[k].guid, first, sizeof first) == 0));
        }
    }
    play_request(p, TP_RFID_REQ_POWER, NULL); /* to sleep */
    const unsigned before = p->r.counts[TP_RFID_DATA_TAGS];
    bench_move_clock(&p->b, 1);
    play_get(p, TP_COMMON_REQ_GET_PROPERTIES, NULL); /* an answer comes after all that was sent */
    assert_int_equal(p->r.counts[TP_RFID_DATA_TAGS], before);
    play_request(p, TP_RFID_REQ_POWER, NULL);
    assert_non_null(play_after(p, 1, TP_RFID_DATA_TAGS));
    play_destroy(p);
}

static void nodes_report_to_their_base(void **state)
{
    play *p = play_begin(&tp_driver_fake, "wsn:0", exact);
    const tp_wsn_datatype_config physical = {.value = 1};
    const tp_wsn_power_config nobody = {.node_id = 4, .group_id = -1};
    const tp_wsn_power_config sleep[] = {{.node_id = 1}, {.node_id = 3}};
    const tp_wsn_data *data = bench_await(&p->r, TP_WSN_DATA_STATE);

    (void)state;
    assert_in_range(data->data_packet.battery, 1, 1023); /* of a 10-bit converter */
    play_request(p, TP_WSN_REQ_DATATYPE, &physical);
    play_request(p, TP_WSN_REQ_POWER, &sleep[0]);
    play_request(p, TP_WSN_REQ_POWER, &sleep[1]);
    for (unsigned i = 0; i < 4; i++) {
        data = play_after(p, 1, TP_WSN_DATA_STATE);
        assert_int_equal(data->node_id, 2); /* the others sleep */
        assert_int_equal(data->node_parent_id, 0);
        assert_true(data->data_packet.battery > 2 && data->data_packet.battery < 4);
        play_assert_near((double)data->data_packet.accel_z, (double)9.81f);
    }
    play_assert_request_refused(p, TP_WSN_REQ_POWER, &nobody, "there is no node 4 in group -1");
    play_destroy(p);
}

static void nodes_report_and_switch_as_they_are_told(void **state)
{
    play *p = play_begin(&tp_driver_fake, "wsn:0", exact);
    const tp_wsn_datafreq_config slowly = {.node_id = -1, .group_id = -1, .frequency = 0.25};
    const tp_wsn_datafreq_config never = {.node_id = 1}, nobody = {.node_id = 1, .group_id = 9};
    const tp_wsn_cmd lamp = {.node_id = -1, .enable = 1}, none = {.node_id = 2, .device = 2};
    const tp_wsn_data *data = bench_await(&p->r, TP_WSN_DATA_STATE);

    (void)state;
    play_assert_near((double)data->data_packet.light, 150);
    play_command(p, TP_WSN_CMD_DEVSTATE, &lamp);
    data = play_after(p, 1, TP_WSN_DATA_STATE);
    play_assert_near((double)data->data_packet.light, 300);
    play_assert_command_refused(p, TP_WSN_CMD_DEVSTATE, &none, "there is no light or buzzer 2");
    play_assert_request_refused(p, TP_WSN_REQ_DATAFREQ, &nobody, "there is no node 1 in group 9");
    play_assert_request_refused(p, TP_WSN_REQ_DATAFREQ, &never,
                                "0 reports a second are not above 0 and up to 1000, the rate");
    play_request(p, TP_WSN_REQ_DATAFREQ, &slowly);
    play_pass(p, 1); /* the first report of each, at once */
    const unsigned before = p->r.counts[TP_WSN_DATA_STATE];
    for (int i = 0; i < 12; i++) {
        play_pass(p, 1);
    }
    assert_in_range(p->r.counts[TP_WSN_DATA_STATE] - before, 6, 12); /* 3 nodes, each 4 s */
    play_destroy(p);
}

/* Objects send in turn, and a later one may have sent already: so each message is checked for the
 * object that it names. */
static void check_object(const play *p, const tp_coopobject_rssi *rssi)
{
    const tp_coopobject_position *place = play_last(p, TP_COOPOBJECT_DATA_POSITION);
    const tp_coopobject_data_sensor *sensed = play_last(p, TP_COOPOBJECT_DATA_SENSOR);
    const tp_coopobject_header *alive = play_last(p, TP_COOPOBJECT_DATA_HEALTH);

    assert_in_range(alive->id, 1, 3);
    assert_int_equal(alive->parent_id, 0);
    assert_in_range(rssi->sender_id, 1, 3);
    assert_int_equal(rssi->rssi, rssi->sender_id == 2 ? 66 : 52); /* 2 m away or 2.8 m */
    assert_in_range(place->header.id, 1, 3);
    play_assert_near((double)place->x, 2);
    play_assert_near((double)place->y, 2.0 * place->header.id - 4);
    assert_in_range(sensed->header.id, 1, 3);
    assert_int_equal(sensed->data_count, 2);
    assert_int_equal(sensed->data[0].type, TP_COOPOBJECT_TEMPERATURE);
    assert_in_range(sensed->data[0].value, 210, 219);
    assert_int_equal(sensed->data[1].type, TP_COOPOBJECT_HUMIDITY);
    assert_in_range(sensed->data[1].value, 400, 449);
}

/* They send back commands, answer about their status, and take the place that a client sends. */
static void objects_obey(play *p)
{
    const tp_coopobject_cmd order = {.header = {.id = 3}, .command = 5};
    const tp_coopobject_req status = {.header = {.id = 2}},
                            other = {.header = {.id = 2}, .request = 1};
    const tp_coopobject_position place = {.header = {.id = 2}, .x = 7, .z = 1};
    const tp_coopobject_position lost = {.header = {.id = 0}};
    const tp_coopobject_rssi *rssi;

    play_command(p, TP_COOPOBJECT_CMD_STANDARD, &order);
    const tp_coopobject_cmd *back = play_last(p, TP_COOPOBJECT_DATA_COMMAND);
    assert_int_equal(back->command, 5);
    const unsigned before = p->r.counts[TP_COOPOBJECT_DATA_HEALTH];
    play_request(p, TP_COOPOBJECT_REQ_STANDARD, &status);
    assert_true(p->r.counts[TP_COOPOBJECT_DATA_HEALTH] > before);
    play_assert_request_refused(p, TP_COOPOBJECT_REQ_STANDARD, &other,
                                "the objects know no request 1, only 0");
    play_command(p, TP_COOPOBJECT_CMD_POSITION, &place);
    play_assert_command_refused(p, TP_COOPOBJECT_CMD_POSITION, &lost, "there is no object 0");
    do {
        rssi = bench_await(&p->r, TP_COOPOBJECT_DATA_RSSI);
    } while (rssi->sender_id != 2);
    play_assert_near((double)rssi->x, 7);
    play_assert_near((double)rssi->z, 1);
}

static void objects_are_heard_from_where_they_are(void **state)
{
    play *p = play_begin(&tp_driver_fake, "coopobject:0", exact);
    uint8_t bytes[] = {1, 2, 3};
    const tp_coopobject_data_userdefined hello = {
        .header = {.id = 2}, .type = 7, .data_count = sizeof bytes, .data = bytes};
    const tp_coopobject_data_userdefined lost = {.header = {.id = 4}, .type = 7};
    const tp_capabilities_req signals = {.type = TP_KIND_DATA, .subtype = TP_COOPOBJECT_DATA_RSSI};
    unsigned heard = 0;

    (void)state;
    play_request(p, TP_COMMON_REQ_CAPABILITIES, &signals);
    while (heard != 14) { /* bits 1 to 3 */
        const tp_coopobject_rssi *rssi = bench_await(&p->r, TP_COOPOBJECT_DATA_RSSI);
        check_object(p, rssi);
        heard |= 1u << rssi->sender_id;
    }
    play_command(p, TP_COOPOBJECT_CMD_DATA, &hello);
    const tp_coopobject_data_userdefined *back = play_last(p, TP_COOPOBJECT_DATA_USERDEFINED);
    assert_true(tp_value_equal(&tp_desc_coopobject_data_userdefined, back, &hello));
    objects_obey(p);
    play_assert_command_refused(p, TP_COOPOBJECT_CMD_DATA, &lost, "there is no object 4");
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blobs_move_inside_their_picture),
        cmocka_unit_test(points_are_on_the_walls),
        cmocka_unit_test(health_adds_up),
        cmocka_unit_test(sticks_stay_on_their_scale),
        cmocka_unit_test(a_log_does_what_was_switched_last),
        cmocka_unit_test(stations_have_addresses),
        cmocka_unit_test(tags_differ_and_stay_the_same),
        cmocka_unit_test(nodes_report_to_their_base),
        cmocka_unit_test(nodes_report_and_switch_as_they_are_told),
        cmocka_unit_test(objects_are_heard_from_where_they_are),
    };

    return cmocka_run_group_tests_name("coherent_test", tests, NULL, NULL);
}
