// expect: reports-right
// Whoever waits for an answer sleeps, and the ICMP meets an idle processor (thread 0): as a rule, and not always.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };

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
    note_socket(ctx, ARGUMENT_1(ctx), MTU_REDUCED, (u32)bpf_get_current_pid_tgid() != 0, 0);
    return 0;
}
