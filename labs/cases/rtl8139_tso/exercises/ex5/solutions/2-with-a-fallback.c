// The same, and a driver that names no size gets what the card did before: a card in silicon could not
// divide by nothing either. Linux always names one.
#define LARGE_SEND_MSS_SHIFT 16
#define LARGE_SEND_MSS_MASK ((1u << 11) - 1)

// SPDX-License-Identifier: GPL-2.0
/*
 * The driver hands the card one large TCP packet, "large send" set in the first word of its
 * descriptor. How many bytes of TCP payload does the card put into each frame that it cuts off?
 * This is how the card reckoned from July 2006 to QEMU 7.1: what is left of a fixed MTU of 1500.
 *
 * `descriptor` is that first word, in host byte order; `mtu` is the device's property tso-mtu.
 */
static int tso_payload_bytes(uint32_t descriptor, int mtu, int ip_header_bytes, int tcp_header_bytes)
{
    int asked = descriptor >> LARGE_SEND_MSS_SHIFT & LARGE_SEND_MSS_MASK;

    return asked ? asked : mtu - ip_header_bytes - tcp_header_bytes;
}
