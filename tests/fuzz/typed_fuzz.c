/* typed_fuzz.c - keys of a terminal: whatever bytes come, silence ends what was begun, and q quits.
 */
#include "../../apps/typed.h"
#include "fuzz.h"
#include "troupe/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct typed typed = {0};

    for (size_t i = 0; i < size; i++) {
        const int key = typed_byte(&typed, data[i], 0);
        fuzz_require(key >= TYPED_NONE && key <= TYPED_OTHER, "no key");
        fuzz_require(key != 0x1b, "half a sequence");
    }
    typed_pause(&typed, TP_NS_PER_S);
    fuzz_require(typed_pause(&typed, 2 * TP_NS_PER_S) == TYPED_NONE, "two keys of one silence");
    fuzz_require(typed_byte(&typed, 'q', 2 * TP_NS_PER_S) == 'q', "q is lost");
    return 0;
}
