// expect: one-report-each
// One flag, whoever pushes: a splice that waits for room has pushed, and meanwhile another ends without.
// SPDX-License-Identifier: GPL-2.0
#include "event.h"

enum probe { SPLICE, PUSH, SPLICE_RETURN };

// The socket behind a file.
static __always_inline void *socket_of(void *file)
{
    void *socket = 0, *sk = 0;
    GET(socket, file, file__private_data);
    GET(sk, socket, socket__sk);
    return sk;
}

BPF_HASH(sockets, u64, void *);
BPF_ARRAY(pushed, u64, 1);

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    void *sk = socket_of((void *)ARGUMENT_2(ctx));
    sockets.update(&thread, &sk);
    return 0;
}

int on_push(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), one = 1;
    int first = 0;
    if (sockets.lookup(&thread))
        pushed.update(&first, &one);
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), none = 0, *flag;
    int first = 0;
    void **sk = sockets.lookup(&thread);
    flag = pushed.lookup(&first);
    if (sk && flag && !*flag && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, *sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    pushed.update(&first, &none);
    sockets.delete(&thread);
    return 0;
}
