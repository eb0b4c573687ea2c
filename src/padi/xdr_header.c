/*
 * xdr_header.c - the header of a message in XDR; see troupe/padi.h.
 *
 * Every message has one, so its fields are written here one by one: walking the plan of the struct
 * would take longer than the body of most messages. xdr_test.c compares the two.
 */
#include <string.h>

#include "base/endian.h"
#include "troupe/interfaces/common.h"
#include "troupe/padi.h"

_Static_assert(TP_XDR_HEADER_SIZE == 40, "troupe/padi.h declares the header with this length");

void tp_xdr_encode_header(const tp_msghdr *header, unsigned char bytes[TP_XDR_HEADER_SIZE])
{
    uint64_t timestamp;

    memcpy(&timestamp, &header->timestamp, sizeof timestamp);
    tpi_store_be32(bytes, header->addr.host);
    tpi_store_be32(bytes + 4, header->addr.robot);
    tpi_store_be32(bytes + 8, header->addr.interf);
    tpi_store_be32(bytes + 12, header->addr.index);
    tpi_store_be32(bytes + 16, header->type);
    tpi_store_be32(bytes + 20, header->subtype);
    tpi_store_be64(bytes + 24, timestamp);
    tpi_store_be32(bytes + 32, header->seq);
    tpi_store_be32(bytes + 36, header->size);
}

void tp_xdr_decode_header(tp_msghdr *header, const unsigned char bytes[TP_XDR_HEADER_SIZE])
{
    tp_xdr_decode(&tp_desc_msghdr, bytes, TP_XDR_HEADER_SIZE, header, sizeof *header);
}
