// A list of the threads that owe a push: a splice is put on it at its entry, and the push strikes it off. Who is still on
// the list when it returns, with bytes handed over, is reported, and struck off then.
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

BPF_HASH(owing, u64, u64);  // by thread, the address of the socket

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), sk = (u64)socket_of((void *)ARGUMENT_2(ctx));
    owing.update(&thread, &sk);
    return 0;
}

int on_push(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), *sk = owing.lookup(&thread);
    if (sk && *sk == (u64)ARGUMENT_1(ctx))
        owing.delete(&thread);
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), *sk = owing.lookup(&thread);
    if (!sk)
        return 0;
    void *silent = (void *)*sk;
    owing.delete(&thread);
    if (RETURN_VALUE(ctx) > 0)
        note_socket(ctx, silent, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    return 0;
}
