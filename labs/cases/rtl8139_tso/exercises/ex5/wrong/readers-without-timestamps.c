// expect: within-mss-plain-*
// As if the driver's size had been reckoned with 32 bytes of TCP header: right with timestamps. To a reader without
// them each segment is twelve bytes larger than the driver asked for.
// SPDX-License-Identifier: GPL-2.0
/*
 * The driver hands the card one large TCP packet, "large send" set in the first word of its
 * descriptor. How many bytes of TCP payload does the card put into each frame that it cuts off?
 *
 * `descriptor` is that first word, in host byte order; `mtu` is the device's property tso-mtu.
 */
static int tso_payload_bytes(uint32_t descriptor, int mtu, int ip_header_bytes, int tcp_header_bytes)
{
    int packet_bytes = ((descriptor >> 16) & 0x7ff) + 20 + 32; /* IPv4, and TCP with timestamps */

    return packet_bytes - ip_header_bytes - tcp_header_bytes;
}
