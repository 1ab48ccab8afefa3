// Who sent what to whom in the tab's run, and where did time pass? The picture that core/draw/ladder.py draws of a recorded
// run, drawn of one that has just been: a test holds the two together. It comes without their style sheet, which is on
// the page with each recorded ladder. A classic script, which needs packets.js and drawing.js once it is called.
//
//   const tree = LiveLadder.tree(run, "B");             {tag, attributes, children}: plain data
//   page.append(LiveLadder.element(tree, document));    text stays text
"use strict";
globalThis.LiveLadder = (() => {
    // A gap is cut short where it is this many times the next smaller one, and that many seconds long.
    const CUT_RATIO = 8, CUT_FLOOR_S = 0.008;
    // Chapter 1's hosts, from left to right; the virtual address is the balancer's to those who send there, and the
    // server's to those whom it answers.
    const CLIENT = "10.0.0.1", VIP = "10.0.0.2";
    const HOSTS = {client: [CLIENT], balancer: ["10.0.0.5"], server: [VIP]};
    const TABLE = "These packets as a table";
    const CAVEATS = {
        undefined: "Whether the machine keeps time is known when the run is over.",
        false: "The machine did not keep time: what passes here may be its doing, and not the kernel's.",
    };
    const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";

    // From which length on a gap dwarfs the others; Infinity if none does.
    function cutLimit_s(lengths_s) {
        const least_s = CUT_FLOOR_S / CUT_RATIO;
        const ranked = [...lengths_s, ...(lengths_s.length === 1 ? [least_s] : [])].sort((a, b) => a - b);
        let best = [0, 0];
        for (let at = 1; at < ranked.length; at++) {
            const ratio = ranked[at] / Math.max(ranked[at - 1], least_s);
            if (ratio >= best[0]) best = [ratio, ranked[at]];
        }
        return best[0] >= CUT_RATIO ? best[1] : Infinity;
    }

    // A packet on its way, with the words for its classes and for those who do not see the arrow.
    function step(known) {
        const {packet, start, end, label, lost, note} = known;
        const bare = packet.proto === "tcp" && packet.flags === "ACK" && !packet.payload_bytes;
        const marks = {icmp: packet.proto === "icmp", again: packet.retransmission, lost, loop: start === end, bare};
        const way = start === end ? `${start} to itself` : `${start} to ${end}`;
        return {...known, kinds: Object.keys(marks).filter(word => marks[word]),
                said: `${way}: ${label}${lost ? ", dropped there" : ""}${note && ` (${note})`}`};
    }

    // {title, hosts, steps, gaps, addresses} of packets with their `time_s`. `place` may say [from, to] of one whose
    // addresses do not tell; `notes`, `gap_notes` and `lost` go by packet number, from 0. `open`: in words, what passes
    // behind the last packet and is not over; `caveat`: what has to be known of the times.
    function ladder({packets, hosts, title, place = () => null, notes = {}, gap_notes = {}, lost = [], open = "",
                     caveat = ""}) {
        const owner = address => Object.keys(hosts).find(host => hosts[host].includes(address));
        const ordered = [...packets].sort((a, b) => a.time_s - b.time_s);
        const steps = ordered.map((packet, number) => {
            const [start, end] = place(packet) ?? [owner(packet.src), owner(packet.dst)];
            if (!(start in hosts && end in hosts))
                throw new Error(`expected a packet between ${Object.keys(hosts).join(", ")}, found one from `
                                + `${packet.src} to ${packet.dst}`);
            return step({packet, start, end, label: LivePackets.label(packet), note: notes[number] ?? "",
                         lost: lost.includes(number)});
        });
        const lengths = steps.map((step, at) => at ? step.packet.time_s - steps[at - 1].packet.time_s : 0);
        const limit_s = cutLimit_s(lengths.slice(1));
        const gaps = lengths.map((length_s, at) => {
            const note = gap_notes[at] ?? "";
            const said = `${LiveDrawing.duration(length_s)} pass${note && `: ${note}`}`;
            return {length_s, cut: length_s >= limit_s, note, said};
        });
        const shown = Object.entries(hosts).filter(([, addresses]) => addresses.length);
        return {title, hosts: Object.keys(hosts), steps, gaps, open, caveat,
                addresses: Object.fromEntries(shown.map(([host, addresses]) => [host, addresses.join(", ")]))};
    }

    // What the picture shows, in a few sentences: its text alternative.
    function summary({hosts, steps, gaps}) {
        const {fixed, duration} = LiveDrawing;
        if (!steps.length) return `No packets between ${hosts.join(", ")}.`;
        const span_s = steps.at(-1).packet.time_s - steps[0].packet.time_s;
        const count = `${steps.length} packet${steps.length > 1 ? "s" : ""}`;
        const parts = [`${count} between ${hosts.join(", ")} in ${duration(span_s)}.`];
        steps.forEach((step, at) => {
            if (gaps[at].cut || gaps[at].note) parts.push(`Then ${gaps[at].said}.`);
            parts.push(`At ${fixed(step.packet.time_s * 1e3, 2)} ms ${step.said}.`);
        });
        return parts.join(" ");
    }

    // A number of the words, for names that differ between pictures.
    function hash(words) {
        let found = 0x811c9dc5;  // FNV-1a
        for (const letter of words) found = Math.imul(found ^ letter.codePointAt(0), 0x01000193) >>> 0;
        return found.toString(16).padStart(8, "0");
    }

    // The whole <figure>, its table of packets included.
    function figure(ladder) {
        const {h, fixed, Drawing} = LiveDrawing;
        const drawing = new Drawing(ladder), {width} = drawing, {title} = ladder, said = summary(ladder);
        const key = `wpw-live-${hash(title + said)}`;
        // A group, not role="img": that would hide the packets, which can be focused, from a screen reader.
        const style = `--wpw-l-width:${width}px;--wpw-l-min:${fixed(width * 0.87, 0)}px`;
        return h("figure", {class: "wpw-ladder", style},
            h("figcaption", {}, title),
            h("div", {class: "wpw-scroll", role: "region", tabindex: 0, "aria-label": title},
                h("svg", {viewBox: `0 0 ${width} ${fixed(drawing.bottom + 4, 0)}`, role: "group",
                          "aria-labelledby": `${key}-title ${key}-desc`},
                    h("title", {id: `${key}-title`}, title), h("desc", {id: `${key}-desc`}, said), drawing.elements())),
            h("p", {class: "wpw-foot"}, [drawing.scaleNote(), ladder.caveat].filter(Boolean).join(" ")), table(ladder));
    }

    // The packets and gaps as a folded table.
    function table({title, steps, gaps}) {
        const {h, fixed} = LiveDrawing;
        const rows = steps.flatMap(({packet, start, end, label, lost, note}, at) => [
            ...(gaps[at].cut || gaps[at].note ? [h("tr", {}, h("td", {colspan: 7}, gaps[at].said))] : []),
            h("tr", {}, h("th", {scope: "row"}, fixed(packet.time_s * 1e3, 3)),
              [start, end, label + (lost ? ", dropped there" : ""), `${packet.length_bytes} B`,
               `${packet.seq ?? ""}`, note].map(cell => h("td", {}, cell))),
        ]);
        const heads = ["time, ms", "from", "to", "packet", "IP length", "seq", "note"];
        const scroll = {class: "wpw-scroll", role: "region", tabindex: 0, "aria-label": TABLE};
        return h("details", {}, h("summary", {}, TABLE), h("div", scroll,
            h("table", {class: "wpw-packets"}, h("caption", {}, title),
                h("thead", {}, h("tr", {}, heads.map(name => h("th", {scope: "col"}, name)))), h("tbody", {}, rows))));
    }

    // Whether the client has got an ICMP of its own that asks for smaller packets. (On `lo` each packet is seen twice.)
    const isToSelf = packet => LivePackets.isFragNeeded(packet) && !packet.outgoing
                               && packet.src === CLIENT && packet.dst === CLIENT;

    // One exchange of a run for a picture, as labs/cases/frag_needed/observed.py chooses: what was there between the
    // question and the end of its answer, of `lo` only the ICMP that came in, and times from the question. `run` may be
    // one that is not over, as protocol.js tells of it.
    function of(run, name) {
        const asked = run.exchanges.find(exchange => exchange.name === name) ?? {at_ms: Infinity, waited_ms: null};
        if (run.measured !== undefined && asked.waited_ms === null)
            throw new Error(`expected an exchange of the run, found ${name}`);
        const end_s = (asked.waited_ms ?? Infinity) / 1e3;
        const packets = run.packets
            .map(packet => ({...packet, time_s: packet.at_ms / 1e3 - asked.at_ms / 1e3}))
            .filter(packet => packet.time_s >= 0 && packet.time_s <= end_s
                              && (packet.interface !== "lo" || isToSelf(packet)));
        const waits = asked.waited_ms === null && asked.at_ms < Infinity;
        return ladder({packets, hosts: HOSTS, place, caveat: CAVEATS[run.measured], open: waits ? `${name} waits …` : "",
                       title: `Connection ${name.replace("-", " ")}, seen at the client: live, in this tab`});
    }

    function place(packet) {
        if (packet.src === packet.dst) return null;
        if (packet.dst === VIP) return ["client", "balancer"];
        return [packet.proto === "icmp" ? "balancer" : "server", "client"];
    }

    // A tree as the document's own nodes. Styles are set, not parsed: a content security policy may forbid that.
    function element(tree, document, space = HTML) {
        const within = tree.tag === "svg" ? SVG : space, node = document.createElementNS(within, tree.tag);
        for (const [name, value] of Object.entries(tree.attributes)) {
            if (name === "style") node.style.cssText = value;
            else node.setAttribute(name, value);
        }
        for (const child of tree.children)
            node.append(typeof child === "string" ? child : element(child, document, within));
        return node;
    }

    return {tree: (run, name) => figure(of(run, name)), summary: (run, name) => summary(of(run, name)),
            element, figure, ladder, isToSelf};
})();
