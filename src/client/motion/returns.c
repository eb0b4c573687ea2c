/* returns.c - the return cache; see returns.h. */
#include "client/motion/returns.h"

#include <stdlib.h>

static tpi_returns_bucket *bucket_of(tpi_returns *r, uint32_t tag)
{
    /* tags follow each other: multiplied, they spread over the buckets whatever their step is */
    return &r->buckets[(tag * UINT32_C(2654435761)) >> 22 & (TPI_RETURNS_BUCKETS - 1)];
}

static tpi_return *find(const tpi_returns *r, uint32_t tag)
{
    tpi_return *found = tag == 0 ? r->oldest : bucket_of((tpi_returns *)(uintptr_t)r, tag)->first;

    while (tag != 0 && found != NULL && found->reply->tag != tag) {
        found = found->next;
    }
    return found;
}

static tp_motion_reply *remove_one(tpi_returns *r, tpi_return *one)
{
    tpi_returns_bucket *bucket = bucket_of(r, one->reply->tag);
    tp_motion_reply *reply = one->reply;
    tpi_return *before = NULL;

    for (tpi_return *at = bucket->first; at != one; at = at->next) {
        before = at;
    }
    *(before != NULL ? &before->next : &bucket->first) = one->next;
    bucket->last = bucket->last == one ? before : bucket->last;
    *(one->older != NULL ? &one->older->newer : &r->oldest) = one->newer;
    *(one->newer != NULL ? &one->newer->older : &r->newest) = one->older;
    r->count--;
    r->bytes -= one->bytes;
    free(one);
    return reply;
}

void tpi_returns_fini(tpi_returns *r)
{
    while (r->oldest != NULL) {
        free(remove_one(r, r->oldest));
    }
}

void tpi_returns_add_take(tpi_returns *r, tp_motion_reply *reply, size_t bytes)
{
    tpi_return *one = calloc(1, sizeof *one);

    if (one == NULL) {
        r->dropped++;
        free(reply);
        return;
    }
    while (r->count > 0 && (r->count >= TPI_RETURNS_MOST || r->bytes + bytes > TPI_RETURNS_BYTES)) {
        r->dropped++;
        free(remove_one(r, r->oldest));
    }
    one->reply = reply;
    one->bytes = bytes;
    one->older = r->newest;
    *(r->newest != NULL ? &r->newest->newer : &r->oldest) = one;
    r->newest = one;
    tpi_returns_bucket *bucket = bucket_of(r, reply->tag);
    *(bucket->last != NULL ? &bucket->last->next : &bucket->first) = one;
    bucket->last = one;
    r->count++;
    r->bytes += bytes;
}

const tp_motion_reply *tpi_returns_peek(const tpi_returns *r, uint32_t tag)
{
    const tpi_return *found = find(r, tag);

    return found != NULL ? found->reply : NULL;
}

tp_motion_reply *tpi_returns_take(tpi_returns *r, uint32_t tag)
{
    tpi_return *found = find(r, tag);

    return found != NULL ? remove_one(r, found) : NULL;
}
