/* value_test.c - comparing, copying and clearing values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/random.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

static void padding_does_not_count(void **state)
{
    (void)state;
    tp_gripper_data a;
    tp_gripper_data b;

    memset(&a, 0x00, sizeof a);
    memset(&b, 0xff, sizeof b);
    a.state = b.state = 1;
    a.beams = b.beams = 2;
    a.stored = b.stored = 3;
    assert_true(tp_value_equal(&tp_desc_gripper_data, &a, &b));
    b.stored = 4;
    assert_false(tp_value_equal(&tp_desc_gripper_data, &a, &b));
}

static void nan_equals_itself_and_zero_is_not_minus_zero(void **state)
{
    (void)state;
    const tp_point_2d nan = {(double)NAN, 0.0};
    const tp_point_2d minus = {(double)NAN, -0.0};

    assert_true(tp_value_equal(&tp_desc_point_2d, &nan, &nan));
    assert_false(tp_value_equal(&tp_desc_point_2d, &nan, &minus));
}

static void arrays_of_different_length_differ(void **state)
{
    (void)state;
    float ranges[] = {1, 2};
    const tp_sonar_data two = {.ranges_count = 2, .ranges = ranges};
    const tp_sonar_data one = {.ranges_count = 1, .ranges = ranges};

    assert_true(tp_value_equal(&tp_desc_sonar_data, &two, &two));
    assert_false(tp_value_equal(&tp_desc_sonar_data, &two, &one));
}

static void elements_beyond_the_count_do_not_matter(void **state)
{
    (void)state;
    tp_device_req a = {.driver_name_count = 2, .driver_name = "abc"};
    tp_device_req b = {.driver_name_count = 2, .driver_name = "abd"};

    assert_true(tp_value_equal(&tp_desc_device_req, &a, &b));
    assert_int_equal(tp_field_count(&tp_desc_device_req.fields[3], &a), 2);
}

static void a_copy_owns_all_it_points_to(void **state)
{
    (void)state;
    char name[] = "mixer";
    tp_audio_mixer_channel_detail detail = {.name_count = 6, .name = name, .caps = 2};
    const tp_audio_mixer_channel_list_detail list = {
        .details_count = 1, .details = &detail, .default_output = -1};
    void *copy = NULL;
    size_t size = 0;

    assert_int_equal(tp_value_copy(&copy, &tp_desc_audio_mixer_channel_list_detail, &list, &size),
                     TP_OK);
    assert_true(tp_value_equal(&tp_desc_audio_mixer_channel_list_detail, copy, &list));
    const tp_audio_mixer_channel_list_detail *own = copy;
    name[0] = 'M';
    assert_string_equal(own->details[0].name, "mixer");
    assert_in_range((uintptr_t)own->details[0].name, (uintptr_t)copy, (uintptr_t)copy + size - 6);
    free(copy);
}

static void a_count_without_elements_is_copied_as_empty(void **state)
{
    (void)state;
    const tp_sonar_data broken = {.ranges_count = 5, .ranges = NULL};
    void *copy = NULL;

    assert_int_equal(tp_field_count(&tp_desc_sonar_data.fields[1], &broken), 0);
    assert_int_equal(tp_value_copy(&copy, &tp_desc_sonar_data, &broken, NULL), TP_OK);
    assert_null(((tp_sonar_data *)copy)->ranges);
    free(copy);
}

static void every_struct_equals_its_copy(void **state)
{
    (void)state;
    tp_catalogue *catalogue = NULL;
    random_source source = {7};

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            void *value = random_value(&source, interface->structs[k]);
            void *copy = NULL;
            assert_int_equal(tp_value_copy(&copy, interface->structs[k], value, NULL), TP_OK);
            assert_true(tp_value_equal(interface->structs[k], value, copy));
            free(value);
            assert_true(tp_value_equal(interface->structs[k], copy, copy));
            free(copy);
        }
    }
    tp_catalogue_destroy(catalogue);
}

static void clearing_frees_arrays_of_structs_with_arrays(void **state)
{
    (void)state;
    const long before = memory_live();
    tp_audio_mixer_channel_list_detail list = {.details_count = 2};

    list.details = calloc(2, sizeof *list.details);
    list.details[1].name_count = 3;
    list.details[1].name = malloc(3);
    tp_value_clear(&tp_desc_audio_mixer_channel_list_detail, &list);
    assert_int_equal(memory_live(), before);
    assert_null(list.details);
    assert_int_equal(list.details_count, 0);
}

static tp_status copy_sonar(void *context)
{
    void *copy = NULL;
    tp_status status = tp_value_copy(&copy, &tp_desc_sonar_data, context, NULL);

    free(copy);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    float range = 1;
    tp_sonar_data data = {.ranges_count = 1, .ranges = &range};

    memory_sweep(copy_sonar, &data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_does_not_count),
        cmocka_unit_test(nan_equals_itself_and_zero_is_not_minus_zero),
        cmocka_unit_test(arrays_of_different_length_differ),
        cmocka_unit_test(elements_beyond_the_count_do_not_matter),
        cmocka_unit_test(a_copy_owns_all_it_points_to),
        cmocka_unit_test(a_count_without_elements_is_copied_as_empty),
        cmocka_unit_test(every_struct_equals_its_copy),
        cmocka_unit_test(clearing_frees_arrays_of_structs_with_arrays),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
