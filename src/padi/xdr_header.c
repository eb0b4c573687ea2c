/* xdr_header.c - the header of a message in XDR; see troupe/padi.h. */
#include "troupe/interfaces/common.h"
#include "troupe/padi.h"

_Static_assert(TP_XDR_HEADER_SIZE == 40, "troupe/padi.h declares the header with this length");

void tp_xdr_encode_header(const tp_msghdr *header, unsigned char bytes[TP_XDR_HEADER_SIZE])
{
    size_t size;

    tp_xdr_encode(&tp_desc_msghdr, header, bytes, TP_XDR_HEADER_SIZE, &size);
}

void tp_xdr_decode_header(tp_msghdr *header, const unsigned char bytes[TP_XDR_HEADER_SIZE])
{
    tp_xdr_decode(&tp_desc_msghdr, bytes, TP_XDR_HEADER_SIZE, header, sizeof *header);
}
