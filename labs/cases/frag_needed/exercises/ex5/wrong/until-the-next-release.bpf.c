// expect: reports-right
// Each release says anew whether the socket's run is a deferred one, but nothing says so between two releases: a
// message that is acted on at once, before anybody holds the socket again, is taken for a deferred one, too.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };
#define TCPF_MTU_REDUCED_DEFERRED (1UL << 5)    // include/linux/tcp.h, enum tsq_flags

BPF_HASH(deferred, void *, u32);

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    unsigned long flags = 0;
    GET(flags, sk, sock__sk_tsq_flags);
    u32 is = (flags & TCPF_MTU_REDUCED_DEFERRED) != 0;
    deferred.update(&sk, &is);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u32 *is = deferred.lookup(&sk);
    note_socket(ctx, sk, MTU_REDUCED, is && *is, 0);
    return 0;
}
