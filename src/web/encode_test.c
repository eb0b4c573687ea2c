/* encode_test.c - messages as clients get them: JSON of every struct fits its bound, CDR is what
 * ROS 2 reads, and every type of ROS 2 has its definition. */
#include "web/encode.h"
#include "web/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "web/ros.h"

/* Encode into exactly as much as `size` says: the sanitizer sees a byte more. */
static char *encode(const tp_encoding *encoding, const tp_msghdr *header, const tp_struct *type,
                    const void *value, size_t *length)
{
    size_t size = 0;

    assert_int_equal(encoding->size(header, type, value, &size), TP_OK);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(encoding->encode(header, type, value, bytes, size, length), TP_OK);
    assert_true(*length <= size);
    return bytes;
}

static void check_json(const tp_struct *type, const void *value)
{
    const tp_msghdr header = {.type = TP_MSGTYPE_DATA, .timestamp = 1.5};
    size_t length = 0;
    char *bytes = encode(&tpi_web_json, &header, type, value, &length);
    char *text = NULL;

    assert_int_equal(tp_value_text(&text, type, value, TP_TEXT_JSON), TP_OK);
    assert_int_equal(length, TPI_WEB_STAMP + strlen(text));
    assert_memory_equal(bytes + TPI_WEB_STAMP, text, strlen(text));
    assert_int_equal(tpi_web_get_u32((const uint8_t *)bytes), 1500000000u);
    free(text);
    free(bytes);
}

/* The longest numbers and texts there are, in every struct of every interface. */
static void json_of_every_struct_fits(void **state)
{
    static const unsigned char patterns[] = {0x00, 0x01, 0x80, 0xc7, 0xff};
    tp_catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);

        for (uint32_t k = 0; k < interface->struct_count; k++) {
            const tp_struct *type = interface->structs[k];

            for (size_t p = 0; p < sizeof patterns; p++) {
                unsigned char bytes[4096];
                void *value = NULL;
                memset(bytes, patterns[p], sizeof bytes);
                if (tp_xdr_decode_new(&value, type, bytes, sizeof bytes) == TP_OK) {
                    check_json(type, value);
                }
                free(value);
            }
        }
    }
    tp_catalogue_destroy(catalogue);
}

static void texts_and_odd_numbers_fit(void **state)
{
    char text[] = "\x01\x02\"\\\x1f";
    tp_failure failure = {.code = -2147483647, .text_count = sizeof text, .text = text};
    float ranges[] = {NAN, INFINITY, -INFINITY, 1.17549435e-38F, -3.40282347e+38F, 123456.789F};
    tp_laser_data scan = {.ranges_count = 6, .ranges = ranges};

    (void)state;
    check_json(&tp_desc_failure, &failure);
    check_json(&tp_desc_laser_data, &scan);
}

static void a_refusal_has_its_code_and_sentence(void **state)
{
    const tp_msghdr header = {.type = TP_MSGTYPE_RESP_NACK};
    char text[] = "no \"way\"";
    tp_failure failure = {.code = TP_E_DENIED, .text_count = sizeof text, .text = text};
    size_t length = 0;
    char *bytes = encode(&tpi_web_json, &header, &tp_desc_failure, &failure, &length);

    (void)state;
    assert_int_equal((int32_t)tpi_web_get_u32((const uint8_t *)bytes), TP_E_DENIED);
    assert_int_equal(length, TPI_WEB_STAMP + 12);
    assert_memory_equal(bytes + TPI_WEB_STAMP, "\"no \\\"way\\\"\"", 12);
    free(bytes);
    bytes = encode(&tpi_web_json, &header, NULL, NULL, &length);
    assert_true(length > TPI_WEB_STAMP + 2);
    free(bytes);
}

static double f64_at(const char *bytes, size_t at)
{
    double value;

    memcpy(&value, bytes + at, sizeof value);
    return value;
}

static void odometry_is_laid_out_as_in_ROS_2(void **state)
{
    const tp_msghdr header = {.addr = {.robot = 6665, .interf = TP_POSITION2D_CODE, .index = 1},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_POSITION2D_DATA_STATE,
                              .timestamp = 12.25};
    const tp_position2d_data data = {.pos = {1, 2, 1.5707963267948966}, .vel = {.px = 0.5}};
    size_t length = 0;
    char *bytes = encode(&tpi_web_cdr, &header, &tp_desc_position2d_data, &data, &length);
    const char *cdr = bytes + TPI_WEB_STAMP;

    (void)state;
    assert_memory_equal(cdr, "\0\1\0\0\x0c\0\0\0\x80\xb2\xe6\x0e\x0b\0\0\0006665/odom1\0", 27);
    assert_memory_equal(cdr + 28, "\x0b\0\0\0006665/base1\0", 15);
    assert_true(f64_at(cdr, 44) == 1 && f64_at(cdr, 52) == 2 && f64_at(cdr, 60) == 0);
    assert_true(fabs(f64_at(cdr, 84) - sqrt(0.5)) < 1e-12);
    assert_int_equal(length - TPI_WEB_STAMP, 44 + 8 * (7 + 36 + 6 + 36));
    free(bytes);
}

static void a_scan_is_laid_out_as_in_ROS_2(void **state)
{
    const tp_msghdr header = {.addr = {.robot = 1, .interf = TP_LASER_CODE},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_LASER_DATA_SCAN};
    float ranges[] = {1, 2.5F};
    uint8_t intensity[] = {7};
    const tp_laser_data scan = {.max_range = 8,
                                .ranges_count = 2,
                                .ranges = ranges,
                                .intensity_count = 1,
                                .intensity = intensity};
    static const char tail[] = "\0\0\0\x41\2\0\0\0\0\0\x80\x3f\0\0\x20\x40\1\0\0\0\0\0\xe0\x40";
    size_t length = 0;
    char *bytes = encode(&tpi_web_cdr, &header, &tp_desc_laser_data, &scan, &length);

    (void)state;
    assert_memory_equal(bytes + length - (sizeof tail - 1), tail, sizeof tail - 1);
    assert_int_equal(length - TPI_WEB_STAMP, 4 + 8 + 4 + 10 + 2 + 7 * 4 + 4 + 8 + 4 + 4);
    free(bytes);
}

/* As ROS 2 wants it of devices without intensities; and 87.6 s is not 599999999 ns. */
static void a_scan_without_intensities_has_an_empty_list_of_them(void **state)
{
    const tp_msghdr header = {.addr = {.robot = 1, .interf = TP_LASER_CODE},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_LASER_DATA_SCAN,
                              .timestamp = 87.6};
    float ranges[] = {1, 2.5F};
    uint8_t intensity[] = {0, 0};
    const tp_laser_data scan = {
        .ranges_count = 2, .ranges = ranges, .intensity_count = 2, .intensity = intensity};
    static const char tail[] = "\2\0\0\0\0\0\x80\x3f\0\0\x20\x40\0\0\0\0";
    size_t length = 0;
    char *bytes = encode(&tpi_web_cdr, &header, &tp_desc_laser_data, &scan, &length);

    (void)state;
    assert_memory_equal(bytes + length - (sizeof tail - 1), tail, sizeof tail - 1);
    assert_int_equal(tpi_web_get_u32((const uint8_t *)bytes + TPI_WEB_STAMP + 4), 87);
    assert_int_equal(tpi_web_get_u32((const uint8_t *)bytes + TPI_WEB_STAMP + 8), 600000000);
    free(bytes);
}

static void a_map_is_laid_out_as_in_ROS_2(void **state)
{
    static const int8_t cells[] = {-1, 0, 1, -100, -50, 50, 100, 127, -128};
    static const uint8_t percent[] = {50, 0xff, 51, 0, 25, 75, 100, 100, 0};
    const tp_devaddr addr = {.robot = 6665};
    const tp_map_info info = {
        .scale = 0.5f, .width = 3, .height = 2, .origin = {.px = -1, .py = 2, .pa = 0}};
    const size_t length = tpi_ros_grid(&addr, &info, 3.25, NULL, 0);
    uint8_t out[sizeof cells], *bytes = malloc(length);
    double place[7];

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(tpi_ros_grid(&addr, &info, 3.25, bytes, length), length);
    /* head, stamp, frame "6665/map", padding, load time, scale, size, pose, count, cells */
    assert_int_equal(length, 4 + 8 + 4 + 9 + 3 + 8 + 4 + 8 + 4 + 56 + 4 + 6);
    assert_int_equal(tpi_web_get_u32(bytes + 4), 3);
    assert_int_equal(tpi_web_get_u32(bytes + 40), 3);
    assert_int_equal(tpi_web_get_u32(bytes + 44), 2);
    memcpy(place, bytes + 52, sizeof place);
    assert_true(place[0] == -1 && place[1] == 2 && place[2] == 0 && place[6] == 1);
    assert_int_equal(tpi_web_get_u32(bytes + length - 10), 6);
    assert_int_equal(tpi_web_get_u32(bytes + length - 6), 0xffffffffu);
    free(bytes);

    tpi_ros_cells(out, cells, sizeof cells, 100);
    assert_memory_equal(out, percent, sizeof cells);
    tpi_ros_cells(out, cells, sizeof cells, 1);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0xff);
    assert_int_equal(out[2], 100);
    tpi_ros_cells(out, cells, sizeof cells, 0); /* a device that does not tell */
    assert_int_equal(out[6], 0xff);
}

static void a_map_is_one_object_in_JSON(void **state)
{
    static const int8_t cells[] = {-1, 0, 100, 7};
    const tp_map_info info = {
        .scale = 0.5f, .width = 2, .height = 2, .origin = {.px = -1, .py = 2, .pa = 0}};
    tpi_buf text = {0}, schema = {0};

    (void)state;
    tpi_grid_begin(&text, &info);
    tpi_grid_put_cells(&text, cells, 1, true);
    tpi_grid_put_cells(&text, cells + 1, 3, false);
    tpi_grid_end(&text);
    assert_string_equal(tpi_buf_text(&text),
                        "{\"info\":{\"scale\":0.5,\"width\":2,\"height\":2,\"origin\":{\"px\":-1,"
                        "\"py\":2,\"pa\":0}},\"cells\":[-1,0,100,7]}");
    tpi_buf_fini(&text);
    tpi_grid_put_schema(&schema);
    assert_non_null(strstr(tpi_buf_text(&schema), "\"cells\":{\"type\":\"array\""));
    assert_false(schema.failed);
    tpi_buf_fini(&schema);
}

static void types_have_definitions_and_others_no_bytes(void **state)
{
    const tp_msghdr header = {.addr = {.interf = TP_LASER_CODE},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_COMMON_DATA_ERROR};
    const tp_failure failure = {.code = -1};
    size_t length = 0, found = 0;

    (void)state;
    for (unsigned interf = 0; interf < 256; interf++) {
        for (unsigned code = 0; code < 256; code++) {
            const tpi_ros_type *type = tpi_ros_type_of(interf, code, false);
            if (type != NULL) {
                assert_non_null(strstr(type->name, "/msg/"));
                assert_non_null(strstr(type->definition, "MSG: builtin_interfaces/Time"));
                found++;
            }
        }
    }
    assert_true(found > 12);
    free(encode(&tpi_web_cdr, &header, &tp_desc_failure, &failure, &length));
    assert_int_equal(length, TPI_WEB_STAMP);
}

/* A picture in JPEG has two forms, a plain one only the first. */
static void pictures_in_jpeg_have_a_compressed_form(void **state)
{
    uint8_t image[] = {0xff, 0xd8, 1, 2, 3, 0xff, 0xd9};
    tp_camera_data picture = {.width = 4,
                              .height = 2,
                              .bpp = 24,
                              .format = TP_CAMERA_FORMAT_RGB888,
                              .compression = TP_CAMERA_COMPRESS_JPEG,
                              .image_count = sizeof image,
                              .image = image};
    const tp_msghdr header = {.addr = {.robot = 6665, .interf = TP_CAMERA_CODE},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_CAMERA_DATA_STATE,
                              .timestamp = 1};
    static const uint8_t end[] = {5, 0, 0, 0, 'j', 'p', 'e', 'g', 0, 0, 0, 0, 7, 0, 0, 0};
    uint8_t bytes[256];
    size_t size = 0;
    size_t length = 0;

    (void)state;
    assert_int_equal(tpi_web_second.size(&header, &tp_desc_camera_data, &picture, &size), TP_OK);
    assert_in_range(size, TPI_WEB_STAMP + sizeof end + sizeof image, sizeof bytes);
    assert_int_equal(
        tpi_web_second.encode(&header, &tp_desc_camera_data, &picture, bytes, size, &length),
        TP_OK);
    assert_int_equal(length, size);
    assert_memory_equal(bytes + length - sizeof image, image, sizeof image);
    assert_memory_equal(bytes + length - sizeof image - sizeof end, end, sizeof end);
    picture.compression = TP_CAMERA_COMPRESS_RAW;
    assert_int_equal(tpi_web_second.size(&header, &tp_desc_camera_data, &picture, &size), TP_OK);
    assert_int_equal(size, TPI_WEB_STAMP);
    assert_int_equal(tpi_web_second.encode(&header, &tp_desc_camera_data, &picture, bytes,
                                           sizeof bytes, &length),
                     TP_OK);
    assert_int_equal(length, TPI_WEB_STAMP);
    assert_null(tpi_ros_type_of(TP_LASER_CODE, TP_LASER_DATA_SCAN, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_of_every_struct_fits),
        cmocka_unit_test(texts_and_odd_numbers_fit),
        cmocka_unit_test(a_refusal_has_its_code_and_sentence),
        cmocka_unit_test(odometry_is_laid_out_as_in_ROS_2),
        cmocka_unit_test(a_scan_is_laid_out_as_in_ROS_2),
        cmocka_unit_test(pictures_in_jpeg_have_a_compressed_form),
        cmocka_unit_test(a_scan_without_intensities_has_an_empty_list_of_them),
        cmocka_unit_test(a_map_is_laid_out_as_in_ROS_2),
        cmocka_unit_test(a_map_is_one_object_in_JSON),
        cmocka_unit_test(types_have_definitions_and_others_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
