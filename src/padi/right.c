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
        [TP_EFFECT_READS] = TP_RIGHT_READ,    [TP_EFFECT_WRITES] = TP_RIGHT_WRITE,
        [TP_EFFECT_MOVES] = TP_RIGHT_MOVE,    [TP_EFFECT_OPERATES] = TP_RIGHT_OPERATE,
        [TP_EFFECT_ACTUATES] = TP_RIGHT_MOVE,
    };

    return rights[what->effect];
}

static bool can_move(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (tp_effect_can_move(interface->messages[i].effect)) {
            return true;
        }
    }
    return false;
}

/* Player's clients open everything in one mode, also to read. A client that may not move a device
 * must not keep away those that may. */
tp_right tp_right_to_open(const tp_interface *interface, unsigned access)
{
    if (access == TP_OPEN_MODE || access == TP_READ_MODE) {
        return TP_RIGHT_READ;
    }
    return access == TP_EXCLUSIVE_MODE && can_move(interface) ? TP_RIGHT_MOVE : TP_RIGHT_WRITE;
}
