/*
 * counter.c - counters that are read and cleared, and properties that are tested and set.
 *
 * A read clears nothing on the server: the cursor of each counter is kept here, in the proxy. It
 * moves on with the answer, so that a request without an answer loses nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"

void tpi_cursors_free(tpi_cursor *first)
{
    while (first != NULL) {
        tpi_cursor *next = first->next;
        free(first);
        first = next;
    }
}

/* The cursor of a counter; a new one is at the beginning. NULL if memory ran out. */
static tpi_cursor *find_or_add(tp_proxy *proxy, const char *key)
{
    const size_t size = strlen(key) + 1;
    tpi_cursor *cursor = proxy->cursors;

    while (cursor != NULL && strcmp(cursor->key, key) != 0) {
        cursor = cursor->next;
    }
    if (cursor == NULL && (cursor = calloc(1, sizeof *cursor + size)) != NULL) {
        memcpy(cursor->key, key, size);
        cursor->next = proxy->cursors;
        proxy->cursors = cursor;
    }
    return cursor;
}

/* Player does not answer what it does not know. */
static tp_status check_server(const tp_proxy *proxy, const char *what, tp_error *err)
{
    return tp_client_is_connected(proxy->client) && !tp_client_is_troupe(proxy->client)
               ? tp_fail(err, TP_E_UNSUPPORTED, "%s: a Player server does not know %s", proxy->name,
                         what)
               : TP_OK;
}

tp_status tp_proxy_read_and_clear(tp_proxy *proxy, const char *key, double *amount, tp_error *err)
{
    tpi_cursor *cursor = find_or_add(proxy, key);
    const void *answer = NULL;
    tp_status status = check_server(proxy, "READ_AND_CLEAR", err);

    if (status != TP_OK) {
        return status;
    }
    if (cursor == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", proxy->name);
    }
    const tp_counter_reading ask = {.run = cursor->run,
                                    .total = cursor->total,
                                    .key_count = (uint32_t)strlen(key) + 1,
                                    .key = cursor->key};
    status = tp_proxy_request(proxy, TP_COMMON_REQ_READ_AND_CLEAR, &ask, &answer, err);
    if (status != TP_OK) {
        return status;
    }
    const tp_counter_reading *reading = answer;
    cursor->run = reading->run;
    cursor->total = reading->total;
    *amount = reading->amount;
    return TP_OK;
}

tp_status tp_proxy_test_and_set(tp_proxy *proxy, const char *key, double expected, double value,
                                double *before, tp_error *err)
{
    const tp_test_and_set ask = {.expected = expected,
                                 .value = value,
                                 .key_count = (uint32_t)strlen(key) + 1,
                                 .key = (char *)(uintptr_t)key}; /* nobody writes through it */
    const void *answer = NULL;
    tp_status status = check_server(proxy, "TEST_AND_SET", err);

    status = status == TP_OK
                 ? tp_proxy_request(proxy, TP_COMMON_REQ_TEST_AND_SET, &ask, &answer, err)
                 : status;
    if (status == TP_OK) {
        *before = ((const tp_test_and_set *)answer)->value;
    }
    return status;
}
