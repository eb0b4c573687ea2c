/* arena_test.c - pieces are zeroed, aligned and apart, and go all at once. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"

/* More than any chunk of the arena holds. */
enum { LARGE = 100000 };

static void assert_zeroed(const void *piece, size_t size)
{
    const unsigned char *bytes = piece;

    assert_non_null(piece);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

static void an_empty_arena_can_be_finished(void **state)
{
    tpi_arena arena = {0};
    const size_t before = memory_allocations();

    (void)state;
    tpi_arena_fini(&arena);
    assert_null(arena.chunks);
    assert_int_equal(memory_allocations(), before);
}

static void pieces_are_zeroed_and_aligned_for_any_type(void **state)
{
    tpi_arena arena = {0};

    (void)state;
    for (size_t size = 1; size < 400; size++) {
        void *piece = tpi_arena_alloc(&arena, size);
        assert_zeroed(piece, size);
        assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
        memset(piece, 0xff, size);
    }
    tpi_arena_fini(&arena);
}

static void pieces_do_not_overlap(void **state)
{
    enum { COUNT = 500 };
    tpi_arena arena = {0};
    unsigned char *pieces[COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        pieces[i] = tpi_arena_alloc(&arena, i + 1);
        assert_non_null(pieces[i]);
        memset(pieces[i], (int)(i % 251), i + 1);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j <= i; j++) {
            assert_int_equal(pieces[i][j], i % 251);
        }
    }
    tpi_arena_fini(&arena);
}

static void many_small_pieces_take_few_allocations(void **state)
{
    tpi_arena arena = {0};
    const size_t before = memory_allocations();

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_non_null(tpi_arena_alloc(&arena, 16));
    }
    assert_int_equal(memory_allocations() - before, 1);
    tpi_arena_fini(&arena);
}

static void a_piece_larger_than_a_chunk_is_given_whole(void **state)
{
    tpi_arena arena = {0};

    (void)state;
    char *small = tpi_arena_alloc(&arena, 8);
    char *large = tpi_arena_alloc(&arena, LARGE);
    assert_zeroed(large, LARGE);
    memset(large, 1, LARGE);
    assert_zeroed(small, 8);
    assert_zeroed(tpi_arena_alloc(&arena, 8), 8);
    tpi_arena_fini(&arena);
}

static void a_piece_of_no_bytes_is_not_null(void **state)
{
    tpi_arena arena = {0};

    (void)state;
    assert_non_null(tpi_arena_alloc(&arena, 0));
    assert_non_null(tpi_arena_array(&arena, 0, 8));
    assert_non_null(tpi_arena_array(&arena, 8, 0));
    tpi_arena_fini(&arena);
}

static void fini_gives_everything_back_and_leaves_it_ready(void **state)
{
    tpi_arena arena = {0};
    const long before = memory_live();

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 10; i++) {
            assert_zeroed(tpi_arena_alloc(&arena, 3000), 3000);
        }
        assert_true(memory_live() > before + 1);
        tpi_arena_fini(&arena);
        assert_null(arena.chunks);
        assert_int_equal(memory_live(), before);
    }
}

static void an_array_has_room_for_all_its_elements(void **state)
{
    tpi_arena arena = {0};

    (void)state;
    double *numbers = tpi_arena_array(&arena, 5000, sizeof *numbers);
    assert_zeroed(numbers, 5000 * sizeof *numbers);
    for (size_t i = 0; i < 5000; i++) {
        numbers[i] = (double)i;
    }
    tpi_arena_fini(&arena);
}

static void huge_sizes_are_refused_without_asking_for_memory(void **state)
{
    tpi_arena arena = {0};
    const size_t before = memory_allocations();

    (void)state;
    assert_null(tpi_arena_alloc(&arena, SIZE_MAX));
    assert_null(tpi_arena_alloc(&arena, SIZE_MAX / 2 + 1));
    assert_null(tpi_arena_array(&arena, SIZE_MAX, 1));
    assert_null(tpi_arena_array(&arena, 1, SIZE_MAX));
    assert_null(tpi_arena_array(&arena, SIZE_MAX / 4, 8)); /* wraps around to a small number */
    assert_null(tpi_arena_array(&arena, SIZE_MAX / 8 + 2, 8));
    assert_null(tpi_arena_text(&arena, "abc", SIZE_MAX));
    assert_null(tpi_arena_text(&arena, "abc", SIZE_MAX / 2));
    assert_int_equal(memory_allocations(), before);
    assert_non_null(tpi_arena_alloc(&arena, 1));
    tpi_arena_fini(&arena);
}

static void text_is_copied_with_a_nul_behind_it(void **state)
{
    char source[] = "position2d";
    tpi_arena arena = {0};

    (void)state;
    char *copy = tpi_arena_text(&arena, source, 8);
    memset(source, '?', sizeof source - 1);
    assert_string_equal(copy, "position");
    assert_string_equal(tpi_arena_text(&arena, "", 0), "");
    assert_string_equal(tpi_arena_text(&arena, NULL, 0), "");
    assert_memory_equal(tpi_arena_text(&arena, "a\0b", 3), "a\0b", 4);
    tpi_arena_fini(&arena);
}

static void texts_of_any_length_keep_their_nul(void **state)
{
    char source[64];
    tpi_arena arena = {0};
    char *copies[sizeof source];

    (void)state;
    memset(source, 'a', sizeof source);
    for (size_t length = 0; length < sizeof source; length++) {
        copies[length] = tpi_arena_text(&arena, source, length);
    }
    for (size_t length = 0; length < sizeof source; length++) {
        assert_int_equal(strlen(copies[length]), length);
    }
    tpi_arena_fini(&arena);
}

static void a_failure_leaves_the_other_pieces_alone(void **state)
{
    tpi_arena arena = {0};

    (void)state;
    char *text = tpi_arena_text(&arena, "kept", 4);
    memory_fail_at(1);
    assert_null(tpi_arena_alloc(&arena, LARGE));
    assert_true(memory_has_failed());
    memory_fail_at(0);
    assert_string_equal(text, "kept");
    assert_zeroed(tpi_arena_alloc(&arena, LARGE), LARGE);
    assert_string_equal(text, "kept");
    tpi_arena_fini(&arena);
}

static tp_status use_all(void *context)
{
    tpi_arena arena = {0};

    (void)context;
    void *piece = tpi_arena_alloc(&arena, 5000);
    void *array = piece != NULL ? tpi_arena_array(&arena, 1000, 8) : NULL;
    char *text = array != NULL ? tpi_arena_text(&arena, "more than the rest", 18) : NULL;
    tpi_arena_fini(&arena);
    return text != NULL ? TP_OK : TP_E_NOMEM;
}

static tp_status copy_a_text(void *context)
{
    tpi_arena arena = {0};

    (void)context;
    char *text = tpi_arena_text(&arena, "first", 5);
    tpi_arena_fini(&arena);
    return text != NULL ? TP_OK : TP_E_NOMEM;
}

static void running_out_of_memory_gives_null(void **state)
{
    (void)state;
    memory_sweep(use_all, NULL);
    memory_sweep(copy_a_text, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_arena_can_be_finished),
        cmocka_unit_test(pieces_are_zeroed_and_aligned_for_any_type),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(many_small_pieces_take_few_allocations),
        cmocka_unit_test(a_piece_larger_than_a_chunk_is_given_whole),
        cmocka_unit_test(a_piece_of_no_bytes_is_not_null),
        cmocka_unit_test(fini_gives_everything_back_and_leaves_it_ready),
        cmocka_unit_test(an_array_has_room_for_all_its_elements),
        cmocka_unit_test(huge_sizes_are_refused_without_asking_for_memory),
        cmocka_unit_test(text_is_copied_with_a_nul_behind_it),
        cmocka_unit_test(texts_of_any_length_keep_their_nul),
        cmocka_unit_test(a_failure_leaves_the_other_pieces_alone),
        cmocka_unit_test(running_out_of_memory_gives_null),
    };

    return cmocka_run_group_tests_name("base/arena", tests, NULL, NULL);
}
