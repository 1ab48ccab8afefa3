"""What twenty runs of each case, and twenty with its fault off, have to show wherever they are made; see
host/recording/repeats.py and `./lab bench --record CASE`. How many could not tell is counted, and is no conclusion."""


def none_is_left_out(addr_select, frag_needed, rtl8139_tso, splice_push):
    """Each case was run twenty times with its fault, twenty times without it, and every run is counted."""
    for case in addr_select, frag_needed, rtl8139_tso, splice_push:
        assert case.times >= 20
        for kind in case.fault, case.fault_off:
            assert kind.reproduced + kind.not_reproduced + kind.could_not_tell == case.times


def no_run_says_the_wrong_thing(addr_select, frag_needed, rtl8139_tso, splice_push):
    """No run with the fault says that it did not happen, and none without it says that it did."""
    for case in addr_select, frag_needed, rtl8139_tso, splice_push:
        assert case.fault.not_reproduced == case.fault_off.reproduced == 0


def the_two_are_far_apart(addr_select, frag_needed, rtl8139_tso, splice_push):
    """The smallest figure of a run with the fault is more than twice the largest of one without it."""
    for case in addr_select, frag_needed, rtl8139_tso, splice_push:
        assert case.fault.spread.min > 2 * case.fault_off.spread.max
