// SPDX-License-Identifier: GPL-2.0
// What do bcc's words mean where clang alone compiles a tracing program? libbpf's, beside which it is loaded.
// A map is a word of its own here: objects.py writes map_lookup(watched, &port) for bcc's watched.lookup(&port).

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
#define ntohs bpf_ntohs
#define ntohl bpf_ntohl

#define MAP(kind, name, key_type, value_type, entries)                                                               \
    struct {                                                                                                         \
        __uint(type, kind);                                                                                          \
        __uint(max_entries, entries);                                                                                \
        __type(key, key_type);                                                                                       \
        __type(value, value_type);                                                                                   \
    } name SEC(".maps")
#define BPF_HASH(name, key, value) MAP(BPF_MAP_TYPE_HASH, name, key, value, 10240)
#define BPF_PERCPU_ARRAY(name, value, entries) MAP(BPF_MAP_TYPE_PERCPU_ARRAY, name, u32, value, entries)
#define BPF_PERF_OUTPUT(name) MAP(BPF_MAP_TYPE_PERF_EVENT_ARRAY, name, u32, u32, 0)     // 0: for each processor one
#define map_lookup(map, key) bpf_map_lookup_elem(&map, key)
#define map_update(map, key, value) bpf_map_update_elem(&map, key, value, BPF_ANY)
#define map_perf_submit(map, ctx, data, bytes) bpf_perf_event_output(ctx, &map, BPF_F_CURRENT_CPU, data, bytes)

// Filled in at loading, and constant from then on.
#define FIELD(structure, field) const volatile u32 structure##__##field

char may_call[] SEC("license") = "GPL";     // whatever the kernel keeps for such programs
#pragma clang section text = "kprobe"       // what each function is, to libbpf
