// SPDX-License-Identifier: GPL-2.0
// What does the kernel do with the ICMP that says "fragmentation needed"?
// Each probe reports when, for which connection, with how many segments in flight, and the stack.

#include "event.h"

FIELD(tcp_sock, packets_out);
FIELD(sk_buff, sk);
FIELD(sk_buff, data);

enum probe { ICMP_SEND, V4_ERR, MTU_REDUCED, SIMPLE_RETRANSMIT, RETRANSMIT, WAKEUP, SEND_CHECK };

static __always_inline int note_in_flight(void *ctx, u32 probe)
{
    u32 in_flight = 0;
    GET(in_flight, ARGUMENT_1(ctx), tcp_sock__packets_out);
    return note_socket(ctx, ARGUMENT_1(ctx), probe, in_flight, 0);
}

// __icmp_send(skb_in, type, code, info): the packet that is refused, and in info the MTU.
int on_icmp_send(void *ctx)
{
    void *sk = 0;
    u16 port_be = 0;
    GET(sk, ARGUMENT_1(ctx), sk_buff__sk);
    GET(port_be, sk, inet_sock__inet_sport);
    return note(ctx, ICMP_SEND, port_be, ntohl((u32)ARGUMENT_4(ctx)), 0);
}

// tcp_v4_err(skb, info): skb->data is the quoted IP header, then the quoted TCP header.
int on_v4_err(void *ctx)
{
    void *quoted = 0;
    u16 port_be = 0;
    GET(quoted, ARGUMENT_1(ctx), sk_buff__data);
    GET(port_be, quoted, 20);
    return note(ctx, V4_ERR, port_be, (u32)ARGUMENT_2(ctx), 0);
}

int on_mtu_reduced(void *ctx) { return note_in_flight(ctx, MTU_REDUCED); }
int on_simple_retransmit(void *ctx) { return note_in_flight(ctx, SIMPLE_RETRANSMIT); }
int on_retransmit(void *ctx) { return note_in_flight(ctx, RETRANSMIT); }
int on_wakeup(void *ctx) { return note_in_flight(ctx, WAKEUP); }
// tcp_v4_send_check(sk, skb) puts the checksum into every segment that TCP hands to IP.
int on_send_check(void *ctx) { return note_in_flight(ctx, SEND_CHECK); }
