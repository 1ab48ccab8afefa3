// The other way round: A's call comes from tcp_v4_err() itself, on the same processor and with nothing
// in between. So each processor remembers what it entered last, the ICMP's handler or the release of
// a socket; softirqs are off in both, so nothing comes between that note and the call.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };
#define TCPF_MTU_REDUCED_DEFERRED (1UL << 5)    // include/linux/tcp.h, enum tsq_flags

BPF_PERCPU_ARRAY(in_v4_err, u32, 1);

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
    u32 zero = 0, inside = 1;
    in_v4_err.update(&zero, &inside);
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    u32 zero = 0, inside = 0;
    in_v4_err.update(&zero, &inside);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    u32 zero = 0, *inside = in_v4_err.lookup(&zero);
    note_socket(ctx, ARGUMENT_1(ctx), MTU_REDUCED, !(inside && *inside), 0);
    return 0;
}
