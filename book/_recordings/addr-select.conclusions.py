"""What a recording of addr-select has to show wherever it is made; see host/recording/conclusions.py."""


def reproduced(run, trace):
    """The run shows what the chapter is about, and so does the trace."""
    assert run.reproduced and trace.reproduced


def each_send_weighs_every_address(run):
    """Each send weighs every address: one label looked up for each, and one more."""
    assert run.addresses["1024"].calls.ipv6_addr_label == 1025
    assert run.addresses["128"].calls.ipv6_addr_label == 129


def a_thousand_addresses_are_slow(run):
    """With a thousand addresses a send takes five times as long as with one, at least; with the setting, and with IPv4,
    it does not."""
    one, thousand = run.addresses["1"], run.addresses["1024"]
    assert thousand.median_us > 5 * one.median_us
    assert thousand.fixed.median_us < 3 * one.fixed.median_us
    assert thousand.ipv4.median_us < 3 * one.ipv4.median_us


def a_source_on_the_route_asks_none(rules):
    """A source on the route asks for no address at all, and the setting for those of one device only."""
    assert rules.route.calls.ipv6_dev_get_saddr == 0
    assert rules.setting.calls.ipv6_addr_label == 1
    assert max(rules.route.send_us, rules.setting.send_us) * 4 < rules.as_told.send_us


def the_setting_does_not_help_on_the_uplink(rules):
    """On the device that packets leave by, the setting does not help."""
    assert rules.uplink_setting.calls.ipv6_addr_label == rules.uplink.calls.ipv6_addr_label


def a_later_device_is_cheaper(rules):
    """A device that comes later is cheaper: what settles it is settled before the labels are looked up."""
    assert rules.later.calls.ipv6_addr_label == 1
    assert rules.later.send_us < rules.as_told.send_us


def no_rule_takes_most_of_the_time(rules):
    """Neither no labels, nor another label, nor deprecation takes most of the time away."""
    least_us = min(rules.no_labels.send_us, rules.another_label.send_us, rules.deprecated.send_us)
    assert least_us > 0.6 * rules.as_told.send_us


def most_of_the_price_stays_without_labels(rules):
    """With the label table emptied each lookup is still made, and most of the price of an address stays, if it does not
    rise."""
    assert rules.no_labels.calls.ipv6_addr_label == rules.as_told.calls.ipv6_addr_label
    assert rules.no_labels.ns_per_address > rules.as_told.ns_per_address / 2


def an_entry_counts_and_not_its_label(rules):
    """An entry for the services shortens each lookup, and its label changes nothing: the two are alike within a
    tenth."""
    as_told, other, same = (rules[key].ns_per_address for key in ("as_told", "another_label", "same_label"))
    assert max(other, same) < as_told and abs(other - same) < as_told / 10


def more_labels_are_dearer(rules):
    """Each label more makes each address dearer."""
    assert rules.labels_1000.send_us > 3 * rules.labels_100.send_us > 3 * rules.as_told.send_us


def only_its_own_device_frees_a_route(kept):
    """When its source is deleted, a route forgets it only if the address was on the route's own device. Else packets go
    on with a source that the host does not have, and nobody chooses."""
    assert kept.on_uplink.said == "" and kept.on_uplink.owned and kept.on_uplink.choices > 0
    assert kept.on_lo.said == kept.on_lo.source and not kept.on_lo.owned and kept.on_lo.choices == 0


def predicted_within_a_half(predicted):
    """What a send costs at a number of addresses that is no point of the plot was predicted within a half."""
    assert abs(predicted.off) < 0.5


def devices_are_counted_beside_addresses(on_call):
    """In the look-alike the host has as many devices as addresses, and with the fault a handful."""
    (_, few), (_, many) = on_call["how-many"].lines, on_call["how-many"].look_alike.lines
    assert int(few) < 10 and int(many) >= 1000
