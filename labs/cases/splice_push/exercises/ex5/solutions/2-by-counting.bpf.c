// The other way round: count the pushes of each thread, and compare the count at the return with that at
// the entry. Nothing has to be reset, and a push that is no splice's does no harm.
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

BPF_HASH(pushes, u64, u64);
BPF_HASH(at_entry, u64, u64);
BPF_HASH(sockets, u64, void *);

int on_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), none = 0, *count = pushes.lookup(&thread);
    void *sk = socket_of((void *)ARGUMENT_2(ctx));
    at_entry.update(&thread, count ? count : &none);
    sockets.update(&thread, &sk);
    return 0;
}

int on_push(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), none = 0, *count = pushes.lookup_or_try_init(&thread, &none);
    if (count)
        *count += 1;
    return 0;
}

int after_splice(void *ctx)
{
    u64 thread = bpf_get_current_pid_tgid(), *count = pushes.lookup(&thread), *before = at_entry.lookup(&thread);
    void **sk = sockets.lookup(&thread);
    if (sk && before && (count ? *count : 0) == *before && RETURN_VALUE(ctx) > 0)
        note_socket(ctx, *sk, SPLICE_RETURN, RETURN_VALUE(ctx), 0);
    return 0;
}
