"""What the looks of any case have to show wherever they are recorded; see host/recording/conclusions.py."""


def looks_find_what_they_are_for(on_call):
    """Each look of the playbook finds what it is for, and those that do more than describe do not find it in the
    control."""
    assert len(on_call) >= 3
    for name, look in on_call.items():
        assert look.tells or not look.expect, name
        assert look.describes or not look.tells_in_control, name


def looks_tell_the_look_alike(on_call):
    """Each look that is typed in the look-alike, too, finds there what it looks for, and not where the fault is. What
    is the fault's it does not find there, unless both have it."""
    there = {name: look for name, look in on_call.items() if look.look_alike}
    assert len(there) == 2
    for name, look in there.items():
        assert look.look_alike.tells and not look.look_alike.tells_with_fault, name
        assert look.acquits or not look.look_alike.tells_in_control, name
        assert look.common or not look.look_alike.has_the_faults, name
