// As the first, by somebody who sets blanks otherwise, includes a header of the kernel's and declares a field of it.
// SPDX-License-Identifier: GPL-2.0
#include<linux/types.h>
# include "event.h"   // GET(), note_socket()
FIELD( tcp_sock,mtu_info ) ;

enum probe { V4_ERR, RELEASE_CB, MTU_REDUCED };
#define TCPF_MTU_REDUCED_DEFERRED (1UL << 5)    // include/linux/tcp.h, enum tsq_flags

BPF_HASH(deferred, void *, unsigned long);

// tcp_v4_err(skb, info)
int on_v4_err(void *ctx)
{
    return 0;
}

// tcp_release_cb(sk)
int on_release_cb(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    unsigned long flags = 0;
    GET(flags, sk, sock__sk_tsq_flags);
    u32 mtu = 0;
    GET(mtu, sk, tcp_sock__mtu_info);
    if (mtu && flags & TCPF_MTU_REDUCED_DEFERRED)
        deferred.update(&sk, &flags);
    return 0;
}

// tcp_v4_mtu_reduced(sk)
int on_mtu_reduced(void *ctx)
{
    void *sk = ARGUMENT_1(ctx);
    note_socket(ctx, sk, MTU_REDUCED, deferred.lookup(&sk) != 0, 0);
    deferred.delete(&sk);
    return 0;
}
