// SPDX-License-Identifier: GPL-2.0
// Who has told which connection of a smaller MTU, which way did each run of tcp_v4_mtu_reduced() come, with what in
// flight, with the socket owned or not, released or not since the run before, and on top of which thread? The stack tells
// the way; the thread that was current may be any: a softirq runs on top of whoever is there.

#include "event.h"

FIELD(sk_buff, data);
FIELD(tcp_sock, packets_out);
FIELD(sock, sk_lock);

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };

BPF_HASH(released, void *, u32);     // sockets, since the run before

// tcp_v4_err(skb, info): skb->data is the quoted IP header; before it are ICMP's eight bytes, and before these the
// message's own IP header, of twenty bytes.
int on_v4_err(void *ctx)
{
    void *quoted = 0;
    u32 teller = 0;
    u16 port_be = 0;
    GET(quoted, ARGUMENT_1(ctx), sk_buff__data);
    GET(teller, quoted, 12 - 8 - 20);
    GET(port_be, quoted, 20);
    return note(ctx, V4_ERR, port_be, teller, 0);
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u32 yes = 1;
    released.update(&sk, &yes);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u32 in_flight = 0, owned = 0, no = 0, *yes = released.lookup(&sk);
    GET(in_flight, sk, tcp_sock__packets_out);
    GET(owned, sk, sock__sk_lock + sizeof(u32));   // behind slock: socket_lock_t in include/net/sock.h
    if (owned)
        in_flight |= 1U << 31;
    if (yes && *yes)
        in_flight |= 1U << 30;
    released.update(&sk, &no);
    return note_socket(ctx, sk, MTU_REDUCED, (u32)bpf_get_current_pid_tgid(), in_flight);
}
