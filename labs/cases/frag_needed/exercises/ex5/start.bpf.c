// SPDX-License-Identifier: GPL-2.0
// Exercise frag-needed/5: which way did the kernel take? Report each run of tcp_v4_mtu_reduced() once,
// with value 0 if it was called at once (A's way) and 1 if it had been deferred (B's way).
//
// The three functions below are called at the entry of the kernel function that they are named after.
// note_socket(ctx, sk, probe, value, 0) reports an event, GET() reads a field, ARGUMENT_1(ctx) is the
// function's first argument (labs/trace/event.h). `structure__field` is a field's offset in the running kernel;
// there are sock__sk_tsq_flags (unsigned long), sock__sk_lock, tcp_sock__packets_out (u32), sk_buff__data.

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
    return 0;
}
