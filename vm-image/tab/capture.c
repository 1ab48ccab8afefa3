/* Which packets were there at the client? As tcpdump on `any` would see them, and without a process that looks on:
 * the kernel writes each into a ring, with its time, and nobody reads it while it is at work.
 */
#define _GNU_SOURCE
#include "exchange.h"
#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#define BLOCK 4096 /* a page: the ring needs no neighbouring ones */
#define FRAME 256
#define FRAMES 512 /* the warm-up, too, writes into it */
#define SHOWN 96 /* IP and TCP headers with all options, or what an ICMP error quotes of them */
#define TRIES 8
/* include/uapi/linux/if_packet.h, which musl does not carry */
#define TPACKET_V2 1
#define TP_STATUS_KERNEL 0

struct ring {
    unsigned block_size, block_nr, frame_size, frame_nr;
};

struct frame {
    uint32_t status, length, snapped;
    uint16_t mac, net;
    uint32_t seconds, nanoseconds;
    uint16_t vlan[2];
    uint8_t padding[4];
    struct sockaddr_ll address; /* aligned to 16 bytes, as the header is */
};

static int tap;
static uint8_t *frames;
static int at; /* the frame that comes next: none is given back to the kernel */
static double realtime_ahead_ms; /* of CLOCK_MONOTONIC: packets have CLOCK_REALTIME's times */

static double realtime_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* Of some tries the one between whose two looks at the other clock the least time passed. */
static double offset_ms(void)
{
    double best = 0, least = -1;
    for (int left = TRIES; left; left--) {
        double before = now_ms(), real = realtime_ms(), after = now_ms();
        if (least < 0 || after - before < least) {
            least = after - before;
            best = real - (before + after) / 2;
        }
    }
    return best;
}

void capture_begin(void)
{
    int version = TPACKET_V2;
    struct ring wanted = {BLOCK, FRAMES * FRAME / BLOCK, FRAME, FRAMES};
    /* ETH_P_ALL: with ETH_P_IP the kernel shows only what comes in. */
    tap = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
    if (tap < 0 || setsockopt(tap, SOL_PACKET, PACKET_VERSION, &version, sizeof version)
        || setsockopt(tap, SOL_PACKET, PACKET_RX_RING, &wanted, sizeof wanted))
        fail("capture");
    frames = mmap(NULL, FRAMES * FRAME, PROT_READ | PROT_WRITE, MAP_SHARED, tap, 0);
    if (frames == MAP_FAILED)
        fail("capture");
    realtime_ahead_ms = offset_ms();
}

static void print_one(const struct frame *frame)
{
    static const char digits[] = "0123456789abcdef";
    double at_ms = frame->seconds * 1e3 + frame->nanoseconds / 1e6 - realtime_ahead_ms;
    char interface[IF_NAMESIZE] = "?", hex[2 * SHOWN + 1] = "";
    const uint8_t *bytes = (const uint8_t *)frame + frame->net;
    for (unsigned at = 0; at < frame->snapped && at < SHOWN; at++) {
        hex[2 * at] = digits[bytes[at] >> 4];
        hex[2 * at + 1] = digits[bytes[at] & 15];
    }
    if_indextoname(frame->address.sll_ifindex, interface);
    printf("lab: packet %.3f %s %s %u %s\n", at_ms, interface,
           frame->address.sll_pkttype == PACKET_OUTGOING ? "out" : "in", (unsigned)frame->length, hex);
}

/* The next frame that the kernel has filled, or none. */
static const struct frame *next(void)
{
    const struct frame *frame = (const void *)(frames + at * FRAME);
    if (at == FRAMES || *(const volatile uint32_t *)&frame->status == TP_STATUS_KERNEL)
        return NULL;
    at++;
    return frame;
}

void capture_forget(void)
{
    while (next())
        ;
}

void capture_print(void)
{
    struct { unsigned packets, dropped; } counted;
    socklen_t length = sizeof counted;
    if (getsockopt(tap, SOL_PACKET, PACKET_STATISTICS, &counted, &length))
        fail("PACKET_STATISTICS");
    if (counted.dropped) {
        errno = ENOBUFS;
        fail("capture");
    }
    for (const struct frame *frame; (frame = next());)
        if (ntohs(frame->address.sll_protocol) == ETH_P_IP)
            print_one(frame);
}
