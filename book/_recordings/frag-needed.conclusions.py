"""What a recording of frag-needed has to show wherever it is made: the conclusions of its pages, in their order.
`./lab record` refuses one that does not, and says which; see host/recording/conclusions.py."""


def reproduced(run, trace):
    """The run shows what the chapter is about, and so does the trace."""
    assert run.reproduced and trace.reproduced


def b_waits_for_a_timer(run):
    """B waits for a timer of 200 ms or more; A and B's second exchange do not."""
    assert run.direct.b_ms >= 200 > max(run.direct.a_ms, run.direct.b_again_ms)


def before_its_data_leaves(run):
    """Nearly all of B's wait is before its data leaves the machine."""
    assert run.direct.b_left_after_ms > 0.7 * run.direct.b_ms


def alike_without_the_small_mtu(run):
    """Without the small MTU in between, A and B are alike."""
    assert run.control.direct.b_ms < 3 * run.control.direct.a_ms
    assert run.direct.b_ms > 4 * run.control.direct.b_ms


def the_same_through_the_sidecar(run):
    """Through the sidecar it is the same, and its larger write makes the client tell itself more than once."""
    assert run.sidecar.b_ms >= 200
    assert run.sidecar.icmp_to_self > run.direct.icmp_to_self >= 1


def no_icmp_if_told_beforehand(run):
    """With a route that says 1480 beforehand nobody sends an ICMP."""
    assert run.control.direct.icmp_to_self + run.control.direct.icmp_from_balancer == 0


def who_hears_from_whom(run):
    """A hears from the balancer only, B first from its own machine."""
    first = run.captures.direct_b[0]
    assert first.src == first.dst and first.next_hop_mtu == 1480
    assert not any(p.proto == "icmp" and p.src == p.dst for p in run.captures.direct_a)


def what_is_sent_again(run):
    """A's segment is sent again at once; B's was never sent, so there is nothing to send again."""
    assert any(p.retransmission for p in run.captures.direct_a)
    assert not any(p.retransmission for p in run.captures.direct_b)


def which_queue_each_segment_is_in(run):
    """When its call has returned, A's segment is in flight, in the retransmit queue; B's is not, but in the write
    queue."""
    a, b = run.direct.exchanges[:2]
    assert a.info.unacked == 1 and a.info.notsent_bytes == 0
    assert b.info.unacked == 0 and b.info.notsent_bytes == b.sent_bytes


def packets_are_those_of_the_pictures(run):
    """Packets that the pictures of state name by their places are what they are taken for."""
    a, b = run.captures.direct_a, run.captures.direct_b
    assert a[0].payload_bytes and a[1].next_hop_mtu and a[2].retransmission and a[3].retransmission
    assert b[0].next_hop_mtu and b[1].payload_bytes and b[1].outgoing


def the_counters_agree(run):
    """The counters agree: the client's own packet did not fit, and it said so."""
    assert run.direct.counters.IpFragFails >= 1
    assert run.direct.counters.IcmpOutDestUnreachs >= 1


def no_frame_is_missing(trace):
    """No frame that the report or the prose tells of is missing from the stacks."""
    assert len(trace.stacks) == 6
    assert all(stack.ok for stack in trace.stacks)


def stalls_with_each_new_route(again):
    """A pair stalls in new namespaces and after the route is made anew, and not in between or after a flush."""
    assert min(again.new_namespaces.b_ms, again.the_route_made_anew.b_ms) >= 200
    assert max(again.nothing.b_ms, again.ip_route_flush_cache.b_ms) < 200


def stalls_after_the_expiry(expiry):
    """After the expiry B stalls again only if somebody looked the route up: not at once, but at the next ICMP."""
    assert expiry.b_at_first.waited_ms >= 200 > expiry.b_expired.waited_ms
    assert expiry.b_after_that.waited_ms >= 200 > expiry.b_expired_looked_up.waited_ms


def a_dead_route_makes_small_segments(expiry):
    """A dead route's device makes segments far smaller than any that were agreed, and several of them."""
    assert expiry.a_expired_looked_up.mss_after < 100 < expiry.a_expired.mss_after
    assert expiry.a_expired_looked_up.small_segments > expiry.a_expired.small_segments


def a_lost_segment_waits_as_long(look_alike):
    """A lost segment makes one wait as long: 200 ms or more, each time. So the length of a wait accuses nobody."""
    assert min(look_alike.waited_ms) >= 200


def loss_probes_tell_a_lost_segment(on_call):
    """Where a segment is lost, loss probes are counted; with the fault, and in its control, neither probes nor
    timeouts."""
    said = on_call["sent-again"]
    assert any("LossProbes" in said.look_alike.lines[number] for number in said.look_alike.telling)
    assert not said.look_alike.tells_with_fault and not said.look_alike.tells_in_control


def the_same_at_the_prompt(prompt):
    """At Mininet's prompt, too, the client's host refuses one segment with the fault, and the second of two connections
    has its answer after a timer of 200 ms or more; without the fault none is refused."""
    assert prompt.with_fault.second_s >= 0.2
    assert prompt.with_fault.refused == 1 and prompt.without.refused == 0
