/* right.c - the right that a message needs. For clients and servers. */
#include "troupe/front.h"

static const char *const right_names[] = {
    [TP_RIGHT_READ] = "read",
    [TP_RIGHT_WRITE] = "write",
    [TP_RIGHT_MOVE] = "move",
    [TP_RIGHT_OPERATE] = "operate",
};

const char *tp_right_name(tp_right right)
{
    return right_names[right];
}

tp_right tp_right_needed(const tp_message *what)
{
    static const tp_right rights[] = {
        [TP_EFFECT_READS] = TP_RIGHT_READ,
        [TP_EFFECT_WRITES] = TP_RIGHT_WRITE,
        [TP_EFFECT_MOVES] = TP_RIGHT_MOVE,
        [TP_EFFECT_OPERATES] = TP_RIGHT_OPERATE,
    };

    return rights[what->effect];
}

/* Player's clients open everything in one mode, also to read. */
tp_right tp_right_to_open(unsigned access)
{
    return access == TP_OPEN_MODE || access == TP_READ_MODE ? TP_RIGHT_READ : TP_RIGHT_WRITE;
}
