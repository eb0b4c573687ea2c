/*
 * rights.c - what clients may do. How they prove it is in keyring.c.
 *
 * Rights are ordered: read, write, move, operate. Every message needs the one that its interface
 * file says. What a client may do without a key depends on where it comes from; a key gives the
 * right that stands beside it in the configuration.
 *
 * Operators reset a panic, throw clients out and decide what no program can know. A panic is also
 * reset by the client that raised it. As long as there is no operator's key, clients on this
 * machine that may move are operators: without that, a panic whose raiser is gone could only be
 * ended by restarting the server.
 */
#include <assert.h>
#include <stdio.h>

#include "session/identity.h"

/* ---- What is there --------------------------------------------------------------------------- */

tp_right tpi_identity_right(const tpi_identity *identity)
{
    const tp_right without = identity->keyring->guests[identity->reach];

    return identity->key != NULL && identity->key->right > without ? identity->key->right : without;
}

static bool has_operators(const tpi_keyring *keyring)
{
    for (size_t i = 0; i < keyring->key_count; i++) {
        if (keyring->keys[i].right == TP_RIGHT_OPERATE) {
            return true;
        }
    }
    return false;
}

/* ---- The decision ---------------------------------------------------------------------------- */

/* The refusal says what the client can do. It depends on whether the client has proved a key that
 * is not sufficient, has proved none, or the server has no keys. */
static tp_status refuse(const tpi_identity *identity, const char *what, tp_error *err)
{
    const tpi_key *key = identity->key;

    if (key != NULL) {
        return tp_fail(err, TP_E_DENIED, "%s; the key %s gives only the right to %s", what,
                       key->name, tp_right_name(key->right));
    }
    if (identity->keyring->key_count > 0) {
        return tp_fail(err, TP_E_DENIED, "%s: give a key", what);
    }
    return tp_fail(
        err, TP_E_DENIED, "%s: %s", what,
        identity->keyring->guests[TP_REACH_UNIX] >= TP_RIGHT_MOVE
            ? "the server has no keys, and clients of this address only read: give the server a "
              "key, or use its unix socket"
            : "the server has no keys, and clients without a key only read: give the server a key");
}

static tp_status refuse_right(const tpi_identity *identity, const char *what, tp_right needed,
                              tp_error *err)
{
    char text[160];

    (void)snprintf(text, sizeof text, "%s needs the right to %s", what, tp_right_name(needed));
    return refuse(identity, text, err);
}

/* Whether the client has an operator's right because the server has no key for operators. */
static bool stands_in(const tpi_identity *identity)
{
    return identity->local && tpi_identity_right(identity) >= TP_RIGHT_MOVE &&
           !has_operators(identity->keyring);
}

bool tpi_identity_operates(const tpi_identity *identity)
{
    return tpi_identity_right(identity) == TP_RIGHT_OPERATE || stands_in(identity);
}

static bool ends_panic(const tp_message *what)
{
    return what ==
           tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, TP_PLAYER_REQ_RESET_PANIC);
}

static tp_status refuse_to_operate(const tpi_identity *identity, const tp_message *what,
                                   tp_error *err)
{
    const bool operators = has_operators(identity->keyring);
    const char *who = operators ? "an operator's key"
                                : "a client on the server's own machine with the right to move";
    char text[160];

    if (ends_panic(what)) {
        (void)snprintf(text, sizeof text, "only the client that raised it, or %s, ends a panic",
                       who);
    } else {
        (void)snprintf(text, sizeof text, "%s needs the right to operate: %s", what->name, who);
    }
    return operators || identity->local
               ? refuse(identity, text, err)
               : tp_fail(err, TP_E_DENIED, "%s: there is no operator's key", text);
}

/* The configuration of a device can raise the right that writing needs, and never that of reading.
 */
static tp_right raised(const tp_device *device, tp_right needed)
{
    const tp_right configured = tpi_device_plan(device)->write_needs;

    return needed > TP_RIGHT_READ && needed < configured ? configured : needed;
}

static tp_status may(const tpi_identity *identity, const tp_message *what, tp_right needed,
                     tp_error *err)
{
    assert(tp_loop_is_current(tpi_hub_loop(identity->keyring->hub)));
    if (tpi_identity_right(identity) >= needed) {
        return TP_OK;
    }
    if (needed < TP_RIGHT_OPERATE) {
        return refuse_right(identity, what->name, needed, err);
    }
    if (stands_in(identity) ||
        (ends_panic(what) && identity->keyring->raiser == identity->number)) {
        return TP_OK;
    }
    return refuse_to_operate(identity, what, err);
}

tp_status tpi_identity_may(const tpi_identity *identity, const tp_message *what, tp_error *err)
{
    return may(identity, what, tp_right_needed(what), err);
}

tp_status tpi_identity_may_send(const tpi_identity *identity, const tp_device *device,
                                const tp_message *what, tp_error *err)
{
    return may(identity, what, raised(device, tp_right_needed(what)), err);
}

tp_right tpi_right_to_open(const tp_device *device, unsigned access)
{
    return raised(device, tp_right_to_open(tp_device_interface(device), access));
}

tp_status tpi_identity_may_open(const tpi_identity *identity, const tp_device *device,
                                unsigned access, tp_error *err)
{
    const tp_right needed = tpi_right_to_open(device, access);
    char what[96];

    if (tpi_identity_right(identity) >= needed) {
        return TP_OK;
    }
    (void)snprintf(what, sizeof what, "opening %s %s", tpi_device_name(device),
                   access == TP_EXCLUSIVE_MODE ? "exclusively" : "to write");
    return refuse_right(identity, what, needed, err);
}
