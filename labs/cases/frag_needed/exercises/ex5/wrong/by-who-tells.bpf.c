// expect: reports-right
// By who has sent the ICMP: the client itself is taken for "deferred", the balancer for "at once". One of the client's
// own that finds its socket free is acted on at once.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };

BPF_HASH(told_by_itself, u16, u32);             // by local port, as the network has it

// tcp_v4_err(skb, info): before the quoted IP header are ICMP's eight bytes and the message's own header
int on_v4_err(void *ctx)
{
    void *quoted = 0;
    u32 teller = 0, client = 0, itself = 0;
    u16 port_be = 0;

    GET(quoted, ARGUMENT_1(ctx), sk_buff__data);
    GET(teller, quoted, -28 + 12);
    GET(client, quoted, 12);
    GET(port_be, quoted, 20);
    itself = teller == client;
    told_by_itself.update(&port_be, &itself);
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u16 port_be = 0;
    u32 *itself, deferred = 0;

    GET(port_be, sk, inet_sock__inet_sport);
    itself = told_by_itself.lookup(&port_be);
    if (itself)
        deferred = *itself;
    note_socket(ctx, sk, MTU_REDUCED, deferred, 0);
    told_by_itself.delete(&port_be);
    return 0;
}
