// SPDX-License-Identifier: GPL-2.0
// What does a connection know of the path's MTU, and who tells it?
// Reports the state of the route that a connection has kept, whenever TCP asks for the segment size.

#include "event.h"

FIELD(sock, sk_dst_cache);
FIELD(dst_entry, obsolete);
FIELD(rtable, rt_pmtu);

enum probe { NEXT_HOP_EXCEPTION, CURRENT_MSS, SYNC_MSS };

// update_or_create_fnhe(nhc, daddr, gw, pmtu, lock, expires): the MTU is hung on the next hop.
int on_next_hop_exception(void *ctx) { return note(ctx, NEXT_HOP_EXCEPTION, 0, (u32)ARGUMENT_4(ctx), 0); }

// tcp_current_mss(sk): of the route that the connection has kept, is it stale, and its learnt MTU.
int on_current_mss(void *ctx)
{
    void *sk = ARGUMENT_1(ctx), *dst = 0;
    s16 obsolete = 0;
    u32 pmtu = 0;
    GET(dst, sk, sock__sk_dst_cache);
    GET(obsolete, dst, dst_entry__obsolete);
    GET(pmtu, dst, rtable__rt_pmtu);    // the lowest bit is rt_mtu_locked
    return note_socket(ctx, sk, CURRENT_MSS, obsolete, pmtu >> 1);
}

// tcp_sync_mss(sk, pmtu): the connection takes over an MTU.
int on_sync_mss(void *ctx)
{
    return note_socket(ctx, ARGUMENT_1(ctx), SYNC_MSS, (u32)ARGUMENT_2(ctx), 0);
}
