"""What a recording of splice-push has to show wherever it is made; see host/recording/conclusions.py."""


def reproduced(run, trace):
    """The run shows what the chapter is about, and so does the trace."""
    assert run.reproduced and trace.reproduced


def what_stays_and_what_arrives(reduction):
    """Sixteen small pieces, one large one, and 300000 bytes over lo stay where they are; mended, all arrive."""
    for way in ("16_pieces_of_50", "4000_bytes", "300000_bytes_lo"):
        assert reduction[way].broken.missing_bytes > 0, way
        assert reduction[way].fixed.missing_bytes == 0, way


def it_is_in_the_queue_without_a_timer(reduction):
    """What stays is in the sender's queue, and no timer runs."""
    broken = reduction["4000_bytes"].broken
    assert broken.queued_bytes == broken.missing_bytes
    assert broken.timers == ["none"]


def what_frees_it(freed):
    """A byte from the peer and keepalive free nothing; the peer's end does."""
    assert freed.nothing.missing_bytes > 0
    assert freed.a_byte_from_the_peer.missing_bytes > 0
    assert freed.keepalive_each_second.missing_bytes > 0
    assert freed.the_peers_end.missing_bytes == 0


def pv_is_whole_and_late(pv):
    """With pv the answer comes whole in either case, and broken far later."""
    assert pv.broken.missing_bytes + pv.fixed.missing_bytes == 0
    assert pv.broken.took_ms > 5 * pv.fixed.took_ms


def small_writes_wait_for_a_delayed_ack(look_alike):
    """With small writes most answers take 40 ms or more, and less than any timer of TCP's sender."""
    assert sum(40 <= ms < 200 for ms in look_alike.waited_ms) > len(look_alike.waited_ms) / 2
