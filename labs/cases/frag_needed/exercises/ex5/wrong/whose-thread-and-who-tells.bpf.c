// expect: reports-right
// The client's own ICMP, and on top of the thread that has sent: both are so of all that are deferred, and of one at once.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };

BPF_HASH(released, void *, u32);
BPF_HASH(told, u16, u32);

// tcp_v4_err(skb, info)
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
    told.update(&port_be, &itself);
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u32 thread = bpf_get_current_pid_tgid();
    released.update(&sk, &thread);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u16 port_be = 0;
    u32 *itself, *thread, deferred = 0;

    GET(port_be, sk, inet_sock__inet_sport);
    itself = told.lookup(&port_be);
    thread = released.lookup(&sk);
    if (itself && thread)
        deferred = *itself && *thread == (u32)bpf_get_current_pid_tgid();
    note_socket(ctx, sk, MTU_REDUCED, deferred, 0);
    return 0;
}
