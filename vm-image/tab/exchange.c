/* What do the hosts of chapter 1 say to each other, and how long do they wait? In the tab's guest.
 *
 *   exchange serve PORT        listens, then goes on in the background: when it returns, it listens
 *   exchange ask ADDRESS PORT  A asks, then B, then B again; prints lines of the run's protocol,
 *                              among them the packets that were there meanwhile (capture.c)
 *   exchange plain INTERFACE   no offloads: each packet is on the wire as it would be on an Ethernet
 *
 * The protocol is read by protocol.js. Times are CLOCK_MONOTONIC's.
 */
#define _GNU_SOURCE
#include "exchange.h"
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS 20000
#define NAP_NS 5000000 /* between two beats of the heart */
#define PATIENCE_MS 50 /* who waits longer waits for a timer, if the machine keeps time: protocol.js, LATEST_MS */
#define MOST_CONNECTIONS 16
#define LARGEST 65536
#define WARM_UPS 40
/* include/uapi/linux/ethtool.h and sockios.h, which musl does not carry */
#define SIOCETHTOOL 0x8946
#define ETHTOOL_STSO 0x1f
#define ETHTOOL_SGSO 0x24
#define ETHTOOL_SGRO 0x2c

void fail(const char *what)
{
    printf("lab: failed %s: %s\n", what, strerror(errno));
    exit(1);
}

double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static struct sockaddr_in address_of(const char *address, const char *port)
{
    struct sockaddr_in found = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    if (inet_pton(AF_INET, address, &found.sin_addr) != 1) {
        errno = EINVAL;
        fail(address);
    }
    return found;
}

static void no_delay(int connection)
{
    int on = 1;
    if (setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        fail("TCP_NODELAY");
}

/* Sends all, whatever the socket takes at once. */
static int send_all(int connection, const char *bytes, size_t length)
{
    while (length) {
        ssize_t sent = write(connection, bytes, length);
        if (sent < 0)
            return -1;
        bytes += sent;
        length -= sent;
    }
    return 0;
}

static void echo_for_ever(struct pollfd *open, int count)
{
    static char bytes[LARGEST];
    for (;;) {
        poll(open, count, -1);
        if (open[0].revents && count <= MOST_CONNECTIONS) {
            int connection = accept(open[0].fd, NULL, NULL);
            if (connection >= 0) {
                no_delay(connection);
                open[count++] = (struct pollfd){.fd = connection, .events = POLLIN};
            }
        }
        for (int at = count - 1; at > 0; at--) {
            if (!open[at].revents)
                continue;
            ssize_t length = read(open[at].fd, bytes, sizeof bytes);
            if (length <= 0 || send_all(open[at].fd, bytes, length)) {
                close(open[at].fd);
                open[at] = open[--count];
            }
        }
    }
}

static int serve(const char *port)
{
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in here = address_of("0.0.0.0", port);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, MOST_CONNECTIONS))
        fail("listen");
    signal(SIGPIPE, SIG_IGN);
    if (fork() == 0) {
        struct pollfd open[MOST_CONNECTIONS + 1] = {{.fd = listener, .events = POLLIN}};
        setsid();
        echo_for_ever(open, 1);
    }
    return 0;
}

/* A process that naps and notes how much later than asked it wakes: whether the machine below was held
 * up. It knows nothing of the connections. */
struct heart {
    volatile int stop;
    volatile unsigned beats;
    volatile double latest_ms;
};

static struct heart *heartbeat(pid_t *process)
{
    struct heart *heart = mmap(NULL, sizeof *heart, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (heart == MAP_FAILED)
        fail("heartbeat");
    *process = fork();
    if (*process == 0) {
        for (double before = now_ms(); !heart->stop; heart->beats++) {
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
            double after = now_ms(), late = after - before - NAP_NS / 1e6;
            if (late > heart->latest_ms && heart->beats)
                heart->latest_ms = late;
            before = after;
        }
        _exit(0);
    }
    while (heart->beats < 3)
        usleep(1000);
    return heart;
}

/* A counter of /proc/net/snmp or netstat: a line of names, then a line of values, each behind "Group:". */
static long counter(const char *file, const char *group, const char *name)
{
    static char names[4096], values[4096];
    FILE *counters = fopen(file, "r");
    long found = -1;
    while (counters && found < 0 && fgets(names, sizeof names, counters) && fgets(values, sizeof values, counters)) {
        char *names_left, *values_left;
        char *one = strtok_r(names, " \n", &names_left), *value = strtok_r(values, " \n", &values_left);
        if (!one || strcmp(one, group))
            continue;
        while ((one = strtok_r(NULL, " \n", &names_left)) && (value = strtok_r(NULL, " \n", &values_left)))
            if (!strcmp(one, name))
                found = atol(value);
    }
    if (counters)
        fclose(counters);
    return found;
}

static const struct {
    const char *file, *group, *name;
} COUNTERS[] = {
    {"/proc/net/snmp", "Ip:", "FragFails"},
    {"/proc/net/snmp", "Icmp:", "InDestUnreachs"},
    {"/proc/net/snmp", "Icmp:", "OutDestUnreachs"},
    {"/proc/net/snmp", "Tcp:", "RetransSegs"},
};
#define COUNTER_COUNT (sizeof COUNTERS / sizeof *COUNTERS)

static int opened(struct sockaddr_in there)
{
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval deadline = {.tv_sec = DEADLINE_MS / 1000};
    if (connection < 0 || connect(connection, (struct sockaddr *)&there, sizeof there))
        fail("connect");
    no_delay(connection);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    return connection;
}

static int segment_bytes(int connection)
{
    int bytes = 0;
    socklen_t length = sizeof bytes;
    if (getsockopt(connection, IPPROTO_TCP, TCP_MAXSEG, &bytes, &length))
        fail("TCP_MAXSEG");
    return bytes;
}

/* One question of `bytes` bytes, and its echo; when that takes its time, `meanwhile` (or NULL) is called once. */
static void question(int connection, int bytes, void (*meanwhile)(void))
{
    static char sent[LARGEST], back[LARGEST];
    struct iovec asked = {.iov_base = sent, .iov_len = bytes};
    if (writev(connection, &asked, 1) != bytes)
        fail("writev");
    if (poll(&(struct pollfd){.fd = connection, .events = POLLIN}, 1, PATIENCE_MS) == 0 && meanwhile)
        meanwhile();
    for (int left = bytes; left;) {
        ssize_t got = read(connection, back, left);
        if (got <= 0)
            fail("no echo");
        left -= got;
    }
}

static const char *asking;
static double asked_ms;

/* Of all so far. While one waits for a timer nothing else is to be done, so nobody is held up by the console, which is
 * slow, or by a page that draws. */
static void tell_of_the_wait(void)
{
    printf("lab: waits %s %.3f\n", asking, asked_ms);
    capture_print();
    fflush(stdout);
}

static void ask(const char *name, int connection, int bytes)
{
    asking = name;
    asked_ms = now_ms();
    question(connection, bytes, tell_of_the_wait);
    printf("lab: exchange %s %d %.3f %.3f\n", name, bytes, asked_ms, now_ms() - asked_ms);
}

/* A restored machine has compiled nothing yet, and A, the first, would wait for the emulator's compiler. Small
 * questions on a connection of their own take the same way, and teach the kernel no path MTU. */
static void warm_up(struct sockaddr_in there)
{
    int connection = opened(there);
    for (int left = WARM_UPS; left; left--)
        question(connection, 64, NULL);
    close(connection);
}

static int ask_all(const char *address, const char *port)
{
    struct sockaddr_in there = address_of(address, port);
    long before[COUNTER_COUNT];
    pid_t process;
    capture_begin();
    warm_up(there);
    int a = opened(there), b = opened(there);
    int full_a = segment_bytes(a), full_b = segment_bytes(b);
    struct heart *heart = heartbeat(&process);
    for (size_t at = 0; at < COUNTER_COUNT; at++)
        before[at] = counter(COUNTERS[at].file, COUNTERS[at].group, COUNTERS[at].name);
    heart->latest_ms = 0;
    capture_forget();
    printf("lab: begin %.3f\n", now_ms());
    fflush(stdout);
    tcdrain(1); /* what is printed from here on waits for a wait, or for the end */
    ask("A", a, full_a);
    ask("B", b, full_b);
    ask("B-again", b, full_b);
    usleep(2 * NAP_NS / 1000); /* the heart beats once more */
    heart->stop = 1;
    printf("lab: end %.3f\n", now_ms());
    fflush(stdout);
    waitpid(process, NULL, 0);
    capture_print();
    printf("lab: heartbeat %u %.3f\n", heart->beats, heart->latest_ms);
    for (size_t at = 0; at < COUNTER_COUNT; at++)
        printf("lab: counter %.*s%s %ld\n", (int)strlen(COUNTERS[at].group) - 1, COUNTERS[at].group, COUNTERS[at].name,
               counter(COUNTERS[at].file, COUNTERS[at].group, COUNTERS[at].name) - before[at]);
    return 0;
}

static int plain(const char *interface)
{
    unsigned features[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
    int any = socket(AF_INET, SOCK_DGRAM, 0);
    for (size_t at = 0; at < sizeof features / sizeof *features; at++) {
        struct { uint32_t command, value; } off = {features[at], 0};
        struct ifreq request = {.ifr_data = (void *)&off};
        strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
        if (ioctl(any, SIOCETHTOOL, &request))
            fail(interface);
    }
    return 0;
}

int main(int count, char **words)
{
    setvbuf(stdout, NULL, _IOFBF, 4096);
    if (count == 3 && !strcmp(words[1], "serve"))
        return serve(words[2]);
    if (count == 4 && !strcmp(words[1], "ask"))
        return ask_all(words[2], words[3]);
    if (count == 3 && !strcmp(words[1], "plain"))
        return plain(words[2]);
    fprintf(stderr, "exchange: serve PORT, ask ADDRESS PORT, or plain INTERFACE\n");
    return 2;
}
