// What do the packets say that the tab's guest has captured? Their headers, as core/wire/packet.py names them, and which
// bytes were seen before, as core/wire/segment.py finds them. A classic script, for live.js and whoever draws.
//
//   LivePackets.dissected([{at_ms, interface, outgoing, length_bytes, hex}])
//
// `seq` and `ack` count from the first byte of each direction that was seen: that one is 1, as in tcpdump.
"use strict";
globalThis.LivePackets = (() => {
    const PROTOCOLS = {1: "icmp", 4: "ipip", 6: "tcp", 17: "udp"};
    const FLAGS = [["SYN", 2], ["FIN", 1], ["RST", 4], ["PSH", 8], ["URG", 32], ["ACK", 16]];
    const DF = 0x4000, OFFSET = 0x1fff;  // RFC 791: flags and fragment offset share 16 bits
    const ICMP_ERRORS = [3, 11];  // those that quote what they are about
    const ICMP_NAMES = {
        "0,0": "ICMP echo reply", "3,0": "ICMP net unreachable", "3,1": "ICMP host unreachable",
        "3,3": "ICMP port unreachable", "3,4": "ICMP frag needed", "8,0": "ICMP echo request",
        "11,0": "ICMP time exceeded",
    };

    class PacketError extends Error {}

    function bytesOf(hex) {
        if (hex.length % 2) throw new PacketError(`expected whole bytes of a packet, found: ${hex}`);
        return new DataView(Uint8Array.from(hex.match(/../g), two => parseInt(two, 16)).buffer);
    }

    const address = (bytes, at) => [0, 1, 2, 3].map(part => bytes.getUint8(at + part)).join(".");

    // The IPv4 header at `at` and what follows: {src, dst, proto, length_bytes, df, header, first}. `first` is false
    // for a later fragment, whose ports are in another packet.
    function ip(bytes, at) {
        const room = bytes.byteLength - at;
        const header = room >= 20 ? (bytes.getUint8(at) & 15) * 4 : 0;
        if (header < 20 || room < header || bytes.getUint8(at) >> 4 !== 4) return null;
        const number = bytes.getUint8(at + 9), fragment = bytes.getUint16(at + 6);
        return {src: address(bytes, at + 12), dst: address(bytes, at + 16), proto: PROTOCOLS[number] ?? `${number}`,
                length_bytes: bytes.getUint16(at + 2), df: Boolean(fragment & DF), header, first: !(fragment & OFFSET)};
    }

    // The ports of TCP and UDP at `at`, where they are there.
    function ports(bytes, at, proto) {
        if (!["tcp", "udp"].includes(proto) || bytes.byteLength < at + 4) return {};
        return {sport: bytes.getUint16(at), dport: bytes.getUint16(at + 2)};
    }

    // Sequence numbers counted from a connection's start, and which bytes were seen before.
    class Flows {
        constructor() {
            this.base = new Map();
            this.seen = new Map();
        }

        relative(flow, number) {
            if (!this.base.has(flow)) this.base.set(flow, (number - 1) >>> 0);
            return (number - this.base.get(flow)) | 0;
        }

        // Relative sequence number, and whether any of its `taken` numbers passed this way before.
        sent(place, flow, number, taken, syn) {
            if (syn && this.base.get(flow) !== number) {  // a new connection, maybe on old ports
                this.base.set(flow, number);
                for (const way of [...this.seen.keys()]) if (way.endsWith(` ${flow}`)) this.seen.delete(way);
            }
            const start = this.relative(flow, number), end = start + taken, way = `${place} ${flow}`;
            const before = this.seen.get(way) ?? [];
            if (!taken) return [start, false];
            this.seen.set(way, [...before, [start, end]]);
            return [start, before.some(([low, high]) => low < end && start < high)];
        }
    }

    function tcp(bytes, at, known, place, flows) {
        const header = bytes.byteLength >= at + 20 ? (bytes.getUint8(at + 12) >> 4) * 4 : 0;
        if (header < 20) return null;
        const {sport, dport} = ports(bytes, at, "tcp"), bits = bytes.getUint8(at + 13);
        const flags = FLAGS.filter(([, bit]) => bits & bit).map(([name]) => name);
        const payload_bytes = Math.max(known.length_bytes - known.header - header, 0);
        const taken = payload_bytes + flags.includes("SYN") + flags.includes("FIN");
        const there = [known.src, sport, known.dst, dport].join(" ");
        const back = [known.dst, dport, known.src, sport].join(" ");
        const [number, acknowledged] = [bytes.getUint32(at + 4), bytes.getUint32(at + 8)];
        const [seq, retransmission] = flows.sent(place, there, number, taken, flags.includes("SYN"));
        const ack = flags.includes("ACK") ? flows.relative(back, acknowledged) : null;
        return {sport, dport, seq, ack, flags: flags.join(" "), payload_bytes, retransmission};
    }

    // Of what an ICMP error quotes, RFC 792 promises the IP header and eight bytes.
    function icmp(bytes, at) {
        if (bytes.byteLength < at + 8) return null;
        const [icmp_type, icmp_code] = [bytes.getUint8(at), bytes.getUint8(at + 1)];
        const found = {icmp_type, icmp_code};
        if (icmp_type === 3 && icmp_code === 4) found.next_hop_mtu = bytes.getUint16(at + 6);
        const about = ICMP_ERRORS.includes(icmp_type) ? ip(bytes, at + 8) : null;
        if (about) {
            const {src, dst, proto, length_bytes, header} = about;
            found.quoted = {src, dst, proto, length_bytes, sport: null, dport: null,
                            ...ports(bytes, at + 8 + header, proto)};
        }
        return found;
    }

    const UNKNOWN = {sport: null, dport: null, seq: null, ack: null, flags: "", payload_bytes: 0, retransmission: false,
                     icmp_type: null, icmp_code: null, next_hop_mtu: null, quoted: null};

    function one({at_ms, interface: name, outgoing, length_bytes, hex}, flows) {
        const bytes = bytesOf(hex), known = ip(bytes, 0);
        let found = known && {};
        if (known?.first && known.proto === "tcp")
            found = tcp(bytes, known.header, known, `${name} ${outgoing}`, flows);
        if (known?.first && known.proto === "icmp") found = icmp(bytes, known.header);
        if (known?.first && known.proto === "udp")
            found = {...ports(bytes, known.header, "udp"), payload_bytes: length_bytes - known.header - 8};
        if (known?.length_bytes !== length_bytes) found = null;
        if (!found) throw new PacketError(`expected an IPv4 packet with its headers, found: ${hex}`);
        const {src, dst, proto, df} = known;
        return {at_ms, interface: name, outgoing, src, dst, proto, length_bytes, df, ...UNKNOWN, ...found};
    }

    // The packets in their order, or a PacketError.
    function dissected(captured) {
        const flows = new Flows();
        return captured.map(packet => one(packet, flows));
    }

    const isFragNeeded = ({proto, icmp_type, icmp_code}) => proto === "icmp" && icmp_type === 3 && icmp_code === 4;

    // Few words for an arrow: "PSH 1448 B", "ICMP frag needed, MTU 1480".
    function label(packet) {
        const {proto, icmp_type, icmp_code, next_hop_mtu, payload_bytes, length_bytes} = packet;
        if (proto === "icmp") {
            const name = ICMP_NAMES[[icmp_type, icmp_code]] ?? `ICMP type ${icmp_type} code ${icmp_code}`;
            return next_hop_mtu === null ? name : `${name}, MTU ${next_hop_mtu}`;
        }
        if (proto !== "tcp")
            return `${/\d/.test(proto) ? `protocol ${proto}` : proto.toUpperCase()} ${payload_bytes || length_bytes} B`;
        let words = packet.flags.split(" ").filter(Boolean);
        // Every segment after the first SYN has ACK set: naming it beside data says nothing.
        if (payload_bytes || words.includes("FIN") || words.includes("RST"))
            words = words.filter(word => word !== "ACK");
        if (payload_bytes) words.push(`${payload_bytes} B`);
        if (packet.retransmission) words.unshift("retransmit");
        return words.join(" ") || "TCP, no flags";
    }

    const end = (address, port) => port === null ? address : `${address}:${port}`;

    // [name, value] of everything known, for a tooltip; `time` is the packet's, `node` the host that saw it.
    function fields(packet, time, node) {
        const {proto, quoted} = packet;
        const quotes = quoted && `${quoted.proto} ${end(quoted.src, quoted.sport)} to `
                                 + `${end(quoted.dst, quoted.dport)}, ${quoted.length_bytes} B`;
        return [
            ["time", time], ["from", end(packet.src, packet.sport)], ["to", end(packet.dst, packet.dport)],
            ["seen at", `${node} ${packet.interface}`.trim()], ["protocol", proto],
            ["IP length", `${packet.length_bytes} B`], ["don't fragment", packet.df ? "set" : "clear"],
            ["flags", packet.flags], ["seq", packet.seq], ["ack", packet.ack],
            ["payload", ["tcp", "udp"].includes(proto) ? `${packet.payload_bytes} B` : null],
            ["retransmission", packet.retransmission ? "yes" : null],
            ["ICMP type, code", proto === "icmp" ? `${packet.icmp_type}, ${packet.icmp_code}` : null],
            ["next-hop MTU", packet.next_hop_mtu], ["quotes", quotes],
        ].filter(([, value]) => value !== null && value !== "").map(([name, value]) => [name, `${value}`]);
    }

    return {dissected, label, fields, isFragNeeded, PacketError};
})();
