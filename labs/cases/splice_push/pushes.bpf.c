// SPDX-License-Identifier: GPL-2.0
// What becomes of the pages that splice(2) hands to a socket, and who pushes them?
// `detail` is, but for SPLICE and PAGE, how many bytes of the connection are written and not sent.

#include "event.h"

FIELD(sock_common, skc_family);
FIELD(tcp_sock, write_seq);
FIELD(tcp_sock, snd_nxt);
FIELD(file, private_data);
FIELD(socket, sk);
FIELD(splice_desc, total_len);
FIELD(splice_desc, u);
FIELD(pipe_inode_info, head);
FIELD(pipe_inode_info, tail);
FIELD(sk_buff, len);
FIELD(inet_connection_sock, icsk_retransmit_timer);
FIELD(inet_connection_sock, icsk_pending);

enum probe { SPLICE, PAGE, SENDPAGE, PUSH, PUSH_ONE, PUSH_PENDING, SEND, ARM, PROBE };

// A server has one local port for all its connections, so the peer's port names them. It lies right before
// the address family (struct sock_common), in a union without a name, of which btf.py knows nothing.
#define PEER_PORT (sock_common__skc_family - 4)

static __always_inline int note_peer(void *ctx, void *sk, u32 probe, s64 value, u32 detail)
{
    u16 port_be = 0;
    GET(port_be, sk, PEER_PORT);
    return note(ctx, probe, port_be, value, detail);
}

static __always_inline int note_unsent(void *ctx, void *sk, u32 probe, s64 value)
{
    u32 written = 0, sent = 0;
    GET(written, sk, tcp_sock__write_seq);
    GET(sent, sk, tcp_sock__snd_nxt);
    return note_peer(ctx, sk, probe, value, written - sent);
}

static __always_inline void *socket_of(void *file)
{
    void *socket = 0, *sk = 0;
    GET(socket, file, file__private_data);
    GET(sk, socket, socket__sk);
    return sk;
}

// generic_splice_sendpage(pipe, out, ppos, len, flags): a splice(2) from a pipe to a socket begins.
int on_splice(void *ctx)
{
    return note_peer(ctx, socket_of((void *)ARGUMENT_2(ctx)), SPLICE, ARGUMENT_4(ctx), ARGUMENT_5(ctx));
}

// pipe_to_sendpage(pipe, buf, sd): one page of it. How much was asked for and is not yet handed over, and
// how many pages the pipe holds, this one included.
int on_page(void *ctx)
{
    void *pipe = ARGUMENT_1(ctx), *desc = (void *)ARGUMENT_3(ctx), *file = 0;
    word asked = 0;
    u32 head = 0, tail = 0;
    GET(asked, desc, splice_desc__total_len);
    GET(file, desc, splice_desc__u);
    GET(head, pipe, pipe_inode_info__head);
    GET(tail, pipe, pipe_inode_info__tail);
    return note_peer(ctx, socket_of(file), PAGE, asked, head - tail);
}

// do_tcp_sendpages(sk, page, offset, size, flags): value has the flags above the size.
int on_sendpage(void *ctx)
{
    u64 size = (u32)ARGUMENT_4(ctx), flags = (u32)ARGUMENT_5(ctx);
    return note_unsent(ctx, ARGUMENT_1(ctx), SENDPAGE, flags << 32 | size);
}

// tcp_push(sk, flags, mss_now, nonagle, size_goal)
int on_push(void *ctx) { return note_unsent(ctx, ARGUMENT_1(ctx), PUSH, (u32)ARGUMENT_2(ctx)); }
int on_push_one(void *ctx) { return note_unsent(ctx, ARGUMENT_1(ctx), PUSH_ONE, 0); }
// __tcp_push_pending_frames(sk, cur_mss, nonagle)
int on_push_pending(void *ctx) { return note_unsent(ctx, ARGUMENT_1(ctx), PUSH_PENDING, (u32)ARGUMENT_3(ctx)); }

// __tcp_transmit_skb(sk, skb, …): a segment leaves, with so many bytes of data; none in a bare ACK.
int on_send(void *ctx)
{
    u32 bytes = 0;
    GET(bytes, (void *)ARGUMENT_2(ctx), sk_buff__len);
    return note_unsent(ctx, ARGUMENT_1(ctx), SEND, bytes);
}

// sk_reset_timer(sk, timer, expires): if it is the timer that sends, what for (ICSK_TIME_…).
int on_arm(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u8 pending = 0;
    if ((char *)ARGUMENT_2(ctx) != (char *)sk + inet_connection_sock__icsk_retransmit_timer)
        return 0;
    GET(pending, sk, inet_connection_sock__icsk_pending);
    return note_unsent(ctx, sk, ARM, pending);
}

// tcp_write_wakeup(sk, mib): the timer that asks a closed window whether it has opened.
int on_probe(void *ctx) { return note_unsent(ctx, ARGUMENT_1(ctx), PROBE, 0); }
