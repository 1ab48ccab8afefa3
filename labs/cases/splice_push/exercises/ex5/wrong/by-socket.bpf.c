// expect: one-report-each
// By socket: the other thread's push is taken for the splice's own.
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

BPF_HASH(running, void *, u64);
BPF_HASH(sockets, u64, void *);

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), zero = 0;
    void *sk = socket_of((void *)ARGUMENT_2(ctx));
    running.update(&sk, &zero);
    sockets.update(&thread, &sk);
    return 0;
}

int on_push(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    u64 *pushed = running.lookup(&sk);
    if (pushed)
        *pushed = 1;
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid();
    void **sk = sockets.lookup(&thread);
    if (!sk)
        return 0;
    void *key = *sk;
    u64 *pushed = running.lookup(&key);
    if (pushed && !*pushed && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, key, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    return 0;
}
