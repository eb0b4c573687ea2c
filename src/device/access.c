/*
 * access.c - who may do what with a device that it has open.
 *
 * Player's mode is to read and to write. Ours tell them apart, and one client can keep all others
 * from writing for as long as it has the device open.
 */
#include "device/session.h"
#include "troupe/interfaces/player.h"

bool access_reads(unsigned access)
{
    return access != TP_WRITE_MODE;
}

static bool writes(unsigned access)
{
    return access != TP_READ_MODE;
}

tp_status access_take(struct subscription *s, tp_error *err)
{
    tp_device *device = s->device;

    if (s->access != TP_EXCLUSIVE_MODE) {
        return TP_OK;
    }
    if (device->holder != NULL && device->holder != s->session) {
        return tp_fail(err, TP_E_DENIED, "%s is held by %s", device->name, device->holder->name);
    }
    device->holder = s->session;
    return TP_OK;
}

/* The last of a client's openings that hold a device lets go of it. */
void access_give(const struct subscription *s)
{
    const struct subscription *other = s->session->subscriptions;

    if (s->device->holder != s->session || s->access != TP_EXCLUSIVE_MODE) {
        return;
    }
    while (other != NULL && (other == s || other->device != s->device || other->waiting ||
                             other->access != TP_EXCLUSIVE_MODE)) {
        other = other->next;
    }
    if (other == NULL) {
        s->device->holder = NULL;
    }
}

tp_status access_check(const tp_session *session, const tp_device *device, const tp_message *what,
                       tp_error *err)
{
    const struct subscription *s = session->subscriptions;

    if (what->effect == TP_EFFECT_READS) {
        return TP_OK;
    }
    if (device->holder != NULL && device->holder != session) {
        return tp_fail(err, TP_E_DENIED, "%s is held by %s", device->name, device->holder->name);
    }
    while (s != NULL && (s->device != device || s->waiting || !writes(s->access))) {
        s = s->next;
    }
    return s != NULL ? TP_OK
                     : tp_fail(err, TP_E_DENIED, "%s is open for reading only", device->name);
}
