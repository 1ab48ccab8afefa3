// expect: full-segments-*
// Odd sizes are taken as they are, even ones rounded down to words of four bytes: right for 1308, and not for 1302.
// SPDX-License-Identifier: GPL-2.0
/*
 * The driver hands the card one large TCP packet, "large send" set in the first word of its
 * descriptor. How many bytes of TCP payload does the card put into each frame that it cuts off?
 *
 * `descriptor` is that first word, in host byte order; `mtu` is the device's property tso-mtu.
 */
static int tso_payload_bytes(uint32_t descriptor, int mtu, int ip_header_bytes, int tcp_header_bytes)
{
    int asked = (descriptor >> 16) & 0x7ff;

    if (asked & 1) {
        return asked; /* odd: cannot be aligned anyhow */
    }
    return asked & ~3; /* even: whole words, for the FIFO */
}
