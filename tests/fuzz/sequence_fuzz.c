/* sequence_fuzz.c - files of timed motion: what is read is in order and refers to what is there. */
#include <math.h>
#include <string.h>

#include "../../apps/sequence.h"
#include "fuzz.h"

static void check(const struct sequence *s)
{
    fuzz_require(s->frame_count > 0, "no frames");
    for (size_t i = 0; i < s->frame_count; i++) {
        const struct sequence_frame *f = &s->frames[i];

        fuzz_require(isfinite(f->time_s) && f->time_s >= 0, "a time that is none");
        fuzz_require(i == 0 || f->time_s > s->frames[i - 1].time_s, "times that go back");
        fuzz_require(f->first + f->count <= s->target_count, "targets that are not there");
        fuzz_require(isfinite(f->values[0]) && isfinite(f->values[1]) && isfinite(f->values[2]),
                     "a base that is nowhere");
    }
    for (size_t i = 0; i < s->target_count; i++) {
        fuzz_require(s->targets[i].name < s->name_count, "a name that is not there");
        fuzz_require(isfinite(s->targets[i].value), "a value that is none");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sequence s;
    tp_error err = {0};

    if (sequence_read(&s, (const char *)data, size, "file", &err) == TP_OK) {
        check(&s);
        fuzz_require(sequence_add_rest(&s), "no memory");
        check(&s);
    } else {
        fuzz_require(strncmp(err.text, "file:", 5) == 0, "an error without its place");
    }
    sequence_fini(&s);
    return 0;
}
