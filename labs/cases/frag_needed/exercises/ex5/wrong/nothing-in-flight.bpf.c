// expect: reports-right
// B had nothing in flight in the report, but that is not what deferred it.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };
#define TCPF_MTU_REDUCED_DEFERRED (1UL << 5)    // include/linux/tcp.h, enum tsq_flags

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
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
    u32 in_flight = 0;
    GET(in_flight, sk, tcp_sock__packets_out);
    note_socket(ctx, sk, MTU_REDUCED, in_flight == 0, 0);
    return 0;
}
