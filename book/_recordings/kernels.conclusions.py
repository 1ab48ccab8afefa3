"""What the cases have to show on each kernel, wherever they are run; see `./lab matrix`, host/recording/matrix.py."""


def none_is_left_out(linux_6_1, linux_6_12):
    """Each case that can be tried was run ten times with its fault and ten times without, and all are counted."""
    tried = [linux[case] for linux in (linux_6_1, linux_6_12) for case in ("frag_needed", "rtl8139_tso", "addr_select")]
    for case in [*tried, linux_6_1.splice_push]:
        for kind in case.fault, case.fault_off:
            assert kind.reproduced + kind.not_reproduced + kind.could_not_tell >= 10


def what_happens_on_one_happens_on_the_other(linux_6_1, linux_6_12):
    """Chapters 1, 2 and 4 happen on both kernels, and on neither with the fault off."""
    for linux in linux_6_1, linux_6_12:
        for case in linux.frag_needed, linux.rtl8139_tso, linux.addr_select:
            assert case.fault.reproduced > 0 == case.fault.not_reproduced == case.fault_off.reproduced


def by_the_same_calls(linux_6_1, linux_6_12):
    """Every stack of chapters 1, 2 and 4 has the frames that the report names, on both kernels."""
    for linux in linux_6_1, linux_6_12:
        for case in linux.frag_needed, linux.rtl8139_tso, linux.addr_select:
            assert case.traced.as_expected == case.traced.of > 0


def a_later_connection_is_safe_on_both(linux_6_1, linux_6_12):
    """Opened after the ICMP, a connection fits the path on both kernels; only 6.1's SYN announces what was learnt."""
    for linux in linux_6_1, linux_6_12:
        assert linux.frag_needed.announced.later_segment_bytes < 1448 and not linux.frag_needed.announced.later_icmps
    older, newer = linux_6_1.frag_needed.announced, linux_6_12.frag_needed.announced
    assert older.after < older.before == newer.before == newer.after


def chapter_3_cannot_be_put_back(linux_6_1, linux_6_12):
    """On 6.12 the function is gone whose test was chapter 3's fix; on 6.1 the fault happens."""
    assert linux_6_1.splice_push.fault.reproduced > 0 == linux_6_1.splice_push.fault_off.reproduced
    assert "pipe_to_sendpage" in linux_6_12.splice_push.not_tried


def only_a_full_pipe_waits_and_only_on_the_newer(linux_6_1, linux_6_12):
    """With sixteen buffers and too long a length, each answer waits on 6.12; no other does, and none on 6.1."""
    slow = linux_6_12.splice_push.sixteenth.buffers_16.too_long
    others = [
        linux.splice_push.sixteenth[buffers][length]
        for linux in (linux_6_1, linux_6_12)
        for buffers in ("buffers_15", "buffers_16", "buffers_17")
        for length in ("too_long", "exact")
        if (linux, buffers, length) != (linux_6_12, "buffers_16", "too_long")
    ]
    assert min(slow.took_ms) > 3 * max(each.median_ms for each in others)
    assert {*slow.timers} == {"zero-window probe"} and not any(any(each.timers) for each in others)
