"""What a recording of rtl8139-tso has to show wherever it is made; see host/recording/conclusions.py."""


def reproduced(run, trace):
    """The run shows what the chapter is about, and so does the trace."""
    assert run.reproduced and trace.reproduced


def segments_larger_than_agreed(run):
    """The card puts segments on the wire that are larger than what was agreed, and only they are refused."""
    broken = run.states.as_it_is
    assert broken.largest_payload > broken.mss
    assert broken.frag_needed == broken.too_long == broken.above_mss > 0


def refused_more_than_a_first_flight(run, on_call):
    """In each download the router refuses more segments than path MTU discovery can cost a new connection."""
    first_flight = 10  # TCP_INIT_CWND: what TCP sends before it can have heard of the path
    (refused,) = (int(line.split()[1]) for line in on_call.refused.lines if line.startswith("IpFragFails"))
    assert min(refused, *(each.frag_needed for each in run.rounds.as_it_is)) > first_flight


def others_keep_to_it(run):
    """The same card mended, another card, and the same card without TSO keep to what was agreed, and lose nothing."""
    states = run.states
    assert states.mended.above_mss + states.beside.above_mss + states.tso_off.above_mss == 0
    assert states.mended.frag_needed + states.beside.frag_needed + states.tso_off.frag_needed == 0


def the_stall_is_dear(run):
    """The stall costs more than nine tenths of the rate."""
    assert run.states.mended.rate_kb_s > 10 * run.states.as_it_is.rate_kb_s


def hearing_does_not_help(run):
    """Letting the ICMPs in, or a smaller MTU on the route, does not help."""
    states = run.states
    assert states.opened.icmp_heard > 0 and states.mtu.icmp_heard > 0 and states.as_it_is.icmp_heard == 0
    assert max(states.opened.rate_kb_s, states.mtu.rate_kb_s) * 5 < states.mended.rate_kb_s


def a_lock_clears_df(run):
    """A locked MTU helps because it clears DF: the router cuts what is too long, and refuses nothing."""
    locked = run.states.mtu_lock
    assert locked.above_mss > 0 and locked.frag_oks > 0 and locked.frag_needed == 0
    assert locked.without_df == locked.segments
    assert locked.rate_kb_s > 10 * run.states.as_it_is.rate_kb_s


def over_ipv6_the_kernel_cuts(over_ipv6):
    """Over IPv4 the card is handed fewer packets than it sends; over IPv6 it is handed each by itself, all fit, and
    nothing is slow."""
    ipv4, ipv6 = over_ipv6.ipv4, over_ipv6.ipv6
    assert ipv4.mss == ipv6.mss and ipv4.above_mss > 0 and ipv4.handed < ipv4.segments
    assert ipv6.above_mss == ipv6.frag_needed == ipv6.retransmissions == 0 and ipv6.handed >= ipv6.segments > 0
    assert ipv6.rate_kb_s > 4 * ipv4.rate_kb_s


def merged_is_longer_than_a_frame(on_call):
    """What GRO has merged is longer than any frame; the card of the fault puts nothing of that length on the wire."""
    sizes = on_call.sizes
    lengths = {
        state: [int(line.split()[1]) for line in lines]
        for state, lines in (("fault", sizes.lines), ("merged", sizes.look_alike.lines))
    }
    assert max(lengths["fault"]) <= 1460 < 1500 < max(lengths["merged"])
