// SPDX-License-Identifier: GPL-2.0
// Where does the tab's kernel keep the fields that the tracing programs read? It carries no type information (BTF): of
// what is declared here some is made from its headers, by host/tab/btf.py. That writes the programs' own lines
// "FIELD(structure, field);" below, so that what is not to be found fails the build.

#include <linux/tcp.h>
#include <net/addrconf.h>
#include <net/route.h>
#include <linux/pipe_fs_i.h>
#include <linux/splice.h>

// The next two are net/ipv6/addrconf.c's own, copied from 6.1: ipv6_get_saddr_eval()'s rules, and what it scores.
enum {
	IPV6_SADDR_RULE_INIT = 0,
	IPV6_SADDR_RULE_LOCAL,
	IPV6_SADDR_RULE_SCOPE,
	IPV6_SADDR_RULE_PREFERRED,
#ifdef CONFIG_IPV6_MIP6
	IPV6_SADDR_RULE_HOA,
#endif
	IPV6_SADDR_RULE_OIF,
	IPV6_SADDR_RULE_LABEL,
	IPV6_SADDR_RULE_PRIVACY,
	IPV6_SADDR_RULE_ORCHID,
	IPV6_SADDR_RULE_PREFIX,
#ifdef CONFIG_IPV6_OPTIMISTIC_DAD
	IPV6_SADDR_RULE_NOT_OPTIMISTIC,
#endif
	IPV6_SADDR_RULE_MAX
} rules;

struct ipv6_saddr_score {
	int			rule;
	int			addr_type;
	struct inet6_ifaddr	*ifa;
	DECLARE_BITMAP(scorebits, IPV6_SADDR_RULE_MAX);
	int			scopedist;
	int			matchlen;
};

#define FIELD(structure, field) \
	struct structure *structure##__##field; \
	static inline void in_##structure##__##field(struct structure *at) { (void)at->field; }

