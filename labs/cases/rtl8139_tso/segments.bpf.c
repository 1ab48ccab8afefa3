// SPDX-License-Identifier: GPL-2.0
// Which segments does TCP ask for, and what does it make of the router's ICMP?
// Each probe reports when, from which port, and how it came there.

#include "event.h"

FIELD(sk_buff, data);
FIELD(sk_buff, head);
FIELD(sk_buff, end);
FIELD(sk_buff, len);
FIELD(skb_shared_info, gso_size);
FIELD(sock, sk_dst_cache);
FIELD(dst_entry, _metrics);
FIELD(rtable, rt_pmtu);
FIELD(inet_sock, pmtudisc);
FIELD(tcp_sock, mss_cache);
FIELD(tcp_sock, lost_out);

enum probe { START_XMIT, LOCAL_OUT, RETRANSMIT, V4_ERR, SYNC_MSS, SIMPLE_RETRANSMIT };

#define ETHERNET_BYTES 14
#define TCP_SYN 2
#define METRIC_FLAGS 3UL        // DST_METRICS_FLAGS, include/net/dst.h
#define MTU_LOCKED (1 << 2)     // a bit for RTAX_MTU in the first metric, RTAX_LOCK

struct headers {                // of IPv4 without options, and the TCP header's first fields
    u8 version, tos;
    u16 length_be, id_be, fragment_be;
    u8 ttl, protocol;
    u16 checksum;
    u32 source, destination;
    u16 sport_be, dport_be;
    u32 seq_be, ack_be;
    u8 offset, flags;
};

// cp_start_xmit(skb, dev): skb->data is the Ethernet header. Value: the sequence number, and above it
// whether it is a SYN; detail: gso_size in the upper half, the IP packet's length in the lower.
int on_start_xmit(void *ctx)
{
    void *skb = ARGUMENT_1(ctx), *data = 0, *head = 0;
    struct headers packet = {};
    u32 end = 0, length = 0;    // end: an offset, on 32 bits an address (NET_SKBUFF_DATA_USES_OFFSET)
    u16 gso_size = 0;
    GET(data, skb, sk_buff__data);
    GET(head, skb, sk_buff__head);
    GET(end, skb, sk_buff__end);
    GET(length, skb, sk_buff__len);
    GET(gso_size, WORD_BITS == 32 ? (void *)(u64)end : head + end, skb_shared_info__gso_size);
    GET(packet, data, ETHERNET_BYTES);
    s64 syn = !!(packet.flags & TCP_SYN);
    return note(ctx, START_XMIT, packet.sport_be, syn << 32 | ntohl(packet.seq_be),
                (u32)gso_size << 16 | (length - ETHERNET_BYTES));
}

// __ip_local_out(net, sk, skb): the IP header is there. Value: DF in it; detail: bit 0 whether the
// route's MTU is locked, and above it the socket's pmtudisc: what ip_dont_fragment() goes by.
int on_local_out(void *ctx)
{
    void *sk = (void *)ARGUMENT_2(ctx), *data = 0, *dst = 0;
    word metrics = 0;
    u32 locks = 0, learnt = 0;
    u16 fragment_be = 0;
    u8 pmtudisc = 0;
    GET(data, ARGUMENT_3(ctx), sk_buff__data);
    GET(fragment_be, data, 6);
    GET(dst, sk, sock__sk_dst_cache);
    GET(metrics, dst, dst_entry___metrics);
    GET(locks, metrics & ~METRIC_FLAGS, 0);
    GET(learnt, dst, rtable__rt_pmtu);      // the lowest bit is rt_mtu_locked
    GET(pmtudisc, sk, inet_sock__pmtudisc);
    u32 locked = (learnt & 1) || (locks & MTU_LOCKED);
    return note_socket(ctx, sk, LOCAL_OUT, !!(ntohs(fragment_be) & 0x4000), locked | pmtudisc << 1);
}

// __tcp_retransmit_skb(sk, skb, segs): how many segments may go, and how many bytes there are.
int on_retransmit(void *ctx)
{
    u32 length = 0;
    GET(length, ARGUMENT_2(ctx), sk_buff__len);
    return note_socket(ctx, ARGUMENT_1(ctx), RETRANSMIT, (u32)ARGUMENT_3(ctx), length);
}

// tcp_v4_err(skb, info): skb->data is the quoted IP header, then the quoted TCP header; info the MTU.
int on_v4_err(void *ctx)
{
    struct headers quoted = {};
    void *data = 0;
    GET(data, ARGUMENT_1(ctx), sk_buff__data);
    GET(quoted, data, 0);
    return note(ctx, V4_ERR, quoted.sport_be, (u32)ARGUMENT_2(ctx), ntohs(quoted.length_be));
}

static __always_inline int note_mss(void *ctx, u32 probe, s64 value)
{
    u32 mss = 0;
    GET(mss, ARGUMENT_1(ctx), tcp_sock__mss_cache);
    return note_socket(ctx, ARGUMENT_1(ctx), probe, value, mss);
}

// tcp_sync_mss(sk, pmtu): the MTU that the connection takes over, and the segment size until now.
int on_sync_mss(void *ctx) { return note_mss(ctx, SYNC_MSS, (u32)ARGUMENT_2(ctx)); }

// tcp_simple_retransmit(sk): segments taken for lost until now, and the segment size from now on.
int on_simple_retransmit(void *ctx)
{
    u32 lost = 0;
    GET(lost, ARGUMENT_1(ctx), tcp_sock__lost_out);
    return note_mss(ctx, SIMPLE_RETRANSMIT, lost);
}
