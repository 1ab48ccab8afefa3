// expect: reports-right
// A deferred run is always on the thread that releases the socket. But one at once may be on top of that thread, too: it
// sends, goes on to something else, and the softirq that brings the ICMP takes its processor for a while.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };

BPF_HASH(releasing, void *, u32);

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u32 thread = bpf_get_current_pid_tgid();
    releasing.update(&sk, &thread);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u32 *thread = releasing.lookup(&sk);
    note_socket(ctx, sk, MTU_REDUCED, thread && *thread == (u32)bpf_get_current_pid_tgid(), 0);
    return 0;
}
