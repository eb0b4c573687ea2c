/*
 * identity.c - the identity of a client: its names, what others call it, and its rank as a writer.
 *
 * The process of a driver that runs on its own is a client, too. It has the label and the rank of
 * that driver.
 */
#include "session/identity.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_owner(const tpi_identity *identity)
{
    assert(tp_loop_is_current(tpi_hub_loop(identity->keyring->hub)));
    (void)identity;
}

void tpi_identity_init(tpi_identity *identity, tpi_keyring *keyring)
{
    identity->keyring = keyring;
    assert_owner(identity);
    identity->number = ++keyring->numbers;
    identity->next = keyring->identities;
    if (identity->next != NULL) {
        identity->next->previous = identity;
    }
    identity->software = "";
    identity->label = identity->name;
    keyring->identities = identity;
}

void tpi_identity_fini(tpi_identity *identity)
{
    tpi_keyring *keyring = identity->keyring;

    assert_owner(identity);
    if (identity->previous != NULL) {
        identity->previous->next = identity->next;
    } else {
        keyring->identities = identity->next;
    }
    if (identity->next != NULL) {
        identity->next->previous = identity->previous;
    }
    keyring->raiser = keyring->raiser == identity->number ? 0 : keyring->raiser;
    free(identity->nonce);
    identity->nonce = NULL;
    free(identity->words);
    identity->words = NULL;
}

/* The driver whose own process this client is; NULL for all others. Only such processes come from
 * inside by the name of a driver that runs elsewhere. */
static const tp_instance *driver_of(const tpi_identity *identity)
{
    return identity->reach == TP_REACH_INSIDE
               ? tpi_hub_find_isolated(identity->keyring->hub, identity->software)
               : NULL;
}

/* Without words its label is its name, as at first. */
static void set_label(tpi_identity *identity)
{
    struct tpi_identity_words *words = identity->words;

    if (words == NULL) {
        return;
    }
    if (driver_of(identity) != NULL) {
        (void)snprintf(words->label, sizeof words->label, "the driver %s", words->software);
    } else {
        (void)snprintf(words->label, sizeof words->label, "%s%s%s", words->software,
                       words->software[0] != '\0' ? " at " : "", identity->name);
    }
    identity->label = words->label;
}

void tpi_identity_set_name(tpi_identity *identity, const char *name)
{
    assert_owner(identity);
    (void)snprintf(identity->name, sizeof identity->name, "%s", name);
    set_label(identity);
}

void tpi_identity_set_software(tpi_identity *identity, const char *software)
{
    assert_owner(identity);
    if (identity->words == NULL && software[0] != '\0') {
        identity->words = calloc(1, sizeof *identity->words);
    }
    if (identity->words != NULL) {
        (void)snprintf(identity->words->software, sizeof identity->words->software, "%s", software);
        identity->software = identity->words->software;
    }
    set_label(identity);
}

void tpi_identity_set_reach(tpi_identity *identity, tp_reach reach)
{
    assert_owner(identity);
    identity->reach = reach;
    set_label(identity);
}

tpi_mover tpi_identity_mover(const tpi_identity *identity)
{
    return (tpi_mover){TPI_MOVER_CLIENT, identity->number, identity->label};
}

void tpi_identity_rank(const tpi_identity *identity, const tp_device *device, tpi_claim *claim)
{
    const tp_instance *driver = driver_of(identity);
    const tpi_rank_list ranks = tpi_device_ranks(device);
    const tpi_writer writer = {
        .client = identity->software, .address = identity->name, .key = tpi_identity_key(identity)};

    if (driver != NULL) {
        tpi_mover_rank_driver(driver, device, claim);
    } else {
        tpi_rank_choose(&ranks, &writer, claim);
    }
}
