// How is a module run in a Python that has its imports already? By asking the fork server.
//
// Usage: fork_client MODULE [ARGUMENT ...], like `python3 -m` in /root/lab. Exits with the module's status.
// When the reader of our output is gone (ssh was cut, say), so are we, and with us the module's
// whole process tree: the fork server watches the connection.
//
// In C because a Python takes a tenth of a second to start under emulation, and each call of ./lab
// waits for one. A request is strings, each ended by a NUL: the variables passed on (NAME=VALUE),
// an empty one, then MODULE and its arguments. With it go descriptors 0 to 2. The answer is the status
// in decimal; negative for a signal, as waitpid() in Python has it.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET "/run/lab/fork.sock"
#define LARGEST_REQUEST_BYTES (1 << 20)

static const char *const PASSED_ON[] = {"PATH", "HOME", "LANG", "TERM", "COLUMNS", "PYTHONUNBUFFERED"};
static char request[LARGEST_REQUEST_BYTES];
static size_t used;

static void fail(const char *what)
{
    fprintf(stderr, "lab: %s\n", what);
    exit(1);
}

static void add(const char *prefix, const char *text)
{
    int left = sizeof(request) - used;
    int wrote = snprintf(request + used, left, "%s%s", prefix, text);
    if (wrote < 0 || wrote >= left)
        fail("the request is longer than 1 MiB");
    used += wrote + 1;
}

static void fill(char **arguments)
{
    for (size_t i = 0; i < sizeof(PASSED_ON) / sizeof(*PASSED_ON); i++) {
        const char *value = getenv(PASSED_ON[i]);
        if (value) {
            add(PASSED_ON[i], "=");
            used--;     // the value goes on where the NUL is
            add("", value);
        }
    }
    add("", "");
    for (; *arguments; arguments++)
        add("", *arguments);
}

static int ask(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof(address))) {
        fprintf(stderr, "lab: the guest's fork server does not answer (%s). Next: ./lab reset\n", strerror(errno));
        exit(1);
    }
    int descriptors[] = {0, 1, 2};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(descriptors))];
    } control = {0};
    struct iovec length = {&used, sizeof(used)};
    struct msghdr message = {.msg_iov = &length, .msg_iovlen = 1,
                             .msg_control = control.room, .msg_controllen = sizeof(control.room)};
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(descriptors));
    memcpy(CMSG_DATA(first), descriptors, sizeof(descriptors));
    if (sendmsg(server, &message, MSG_NOSIGNAL) != sizeof(used))
        fail("the fork server takes no request");
    for (size_t sent = 0; sent < used;) {
        ssize_t wrote = send(server, request + sent, used - sent, MSG_NOSIGNAL);
        if (wrote < 0)
            fail("the fork server takes no request");
        sent += wrote;
    }
    return server;
}

static void terminated(int signal)
{
    _exit(128 + signal);
}

int main(int count, char **arguments)
{
    if (count < 2)
        fail("usage: fork_client MODULE [ARGUMENT ...]");
    fill(arguments + 1);
    int server = ask();
    signal(SIGTERM, terminated);
    // POLLERR and POLLHUP on our output need no asking for.
    struct pollfd watched[] = {{.fd = server, .events = POLLIN}, {.fd = STDOUT_FILENO}};
    while (poll(watched, 2, -1) < 0 && errno == EINTR)
        ;
    if (!watched[0].revents)
        return 141;     // nobody reads what we would print
    char answer[32] = "";
    if (recv(server, answer, sizeof(answer) - 1, 0) <= 0)
        fail("the fork server ended the request");
    int status = atoi(answer);
    return status >= 0 ? status : 128 - status;
}
