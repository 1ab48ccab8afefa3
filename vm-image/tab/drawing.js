// How is a ladder of packets laid out and drawn? As core/draw/ladder_svg.py does it: from what ladder.js has gathered to
// the elements of an SVG, each as {tag, attributes, children}. A classic script; needs packets.js once it is called.
"use strict";
globalThis.LiveDrawing = (() => {
    // Sizes in units of the view box, as in core/draw/ladder_svg.py.
    const AXIS_X = 64, FIRST_X = 132, EDGE = 72, LANE_MIN = 128;
    const TOP = 62, LINE = 17, NOTE = 16, ROW_MIN = 30, STRETCH = 92, BAND = 30, BOX = 66;
    const LABEL_W = 8.2, NOTE_W = 6.7, LOOP_W = 24, LOOP_H = 24, LOOP_GAP = 8;
    const PAIR = /(?<=\bMTU) (?=\d)|(?<=\d) (?=(?:B|s|ms|\u00b5s)\b)/g;

    const h = (tag, attributes, ...children) => ({
        tag, attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, `${value}`])),
        children: children.flat(),
    });

    // As Python rounds: a number that is exactly between two goes to the even one.
    function fixed(value, digits) {
        const scaled = value * 10 ** digits;
        const between = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
        return (between ? 2 * Math.round(scaled / 2) / 10 ** digits : value).toFixed(digits);
    }
    const one = value => fixed(value, 1);

    function duration(length_s) {
        if (length_s >= 1) return `${fixed(length_s, 2)} s`;
        if (length_s >= 0.01) return `${fixed(length_s * 1e3, 0)} ms`;
        if (length_s >= 0.001) return `${fixed(length_s * 1e3, 1)} ms`;
        return `${fixed(length_s * 1e6, 0)} \u00b5s`;
    }

    // Python's textwrap.wrap: what it takes for a word, and where it breaks one that is too long.
    const WORD = new RegExp(String.raw`[ ]+|(?<=[\w!"'&.,?])-{2,}(?=\w)|[^ ]+?(?:-(?:(?<=[^\W\d]{2}-)|`
        + String.raw`(?<=[^\W\d]-[\w!"'&.,?]-))(?=[^\W\d]-?[^\W\d])|(?=[ ]|$)|(?<=[\w!"'&.,?])(?=-{2,}\w))`, "g");

    function broken(word, room) {
        const hyphen = word.lastIndexOf("-", room - 1);
        const at = hyphen > 0 && /[^-]/.test(word.slice(0, hyphen)) ? hyphen + 1 : room;
        return [word.slice(0, at), word.slice(at)];
    }

    // `words` in lines that fit `room` with letters of that width, pairs of number and unit whole.
    function wrap(words, room, letter) {
        const width = Math.max(Math.trunc(room / letter), 8), lines = [];
        const left = words.replace(PAIR, "\u00a0").replace(/[\t\n\v\f\r]/g, " ").match(WORD) ?? [];
        while (left.length) {
            let line = "";
            if (lines.length && !left[0].trim()) left.shift();
            while (left.length && line.length + left[0].length <= width) line += left.shift();
            if (left.length && left[0].length > width) {
                const [head, rest] = broken(left[0], width - line.length);
                line += head;
                left[0] = rest;
            }
            line = line.replace(/ +$/, "");
            if (line) lines.push(line);
        }
        return lines;
    }

    // Places everything, then makes the elements.
    class Drawing {
        constructor(ladder) {
            this.ladder = ladder;
            const count = ladder.hosts.length;
            this.width = Math.max({1: 480, 2: 600}[count] ?? 720, FIRST_X + EDGE + LANE_MIN * (count - 1));
            this.lane = (this.width - FIRST_X - EDGE) / Math.max(count - 1, 1);
            this.x = Object.fromEntries(ladder.hosts.map((host, at) => [host, FIRST_X + this.lane * at]));
            this.rows = ladder.steps.map(step => this.row(step));
            this.bands = new Map();
            this.place();
        }

        // A step's words, wrapped, and the room they need above and below its arrow.
        row({start, end, label, note}) {
            const {hosts} = this.ladder, x = this.x[start];
            const wrapped = room => [wrap(label, room, LABEL_W), wrap(note, room, NOTE_W)];
            if (start !== end) {
                const side = this.x[end] > x ? 1 : -1, [labels, notes] = wrapped(this.lane - 18);
                return {labels, notes, x: x + side * this.lane / 2, anchor: "middle",
                        above: 8 + LINE * labels.length, below: 8 + NOTE * notes.length};
            }
            // Words of a loop stand beside it, on the side where another host leaves room.
            const side = this.way(start);
            const room = (hosts.length > 1 ? this.lane : this.width - x) - (LOOP_W + LOOP_GAP + 5);
            const [labels, notes] = wrapped(room);
            return {labels, notes, x: x + side * (LOOP_W + LOOP_GAP), anchor: side > 0 ? "start" : "end", above: 14,
                    below: Math.max(LOOP_H + 8, LINE * labels.length + NOTE * notes.length - 2)};
        }

        way(host) {
            const {hosts} = this.ladder;
            return host === hosts.at(-1) && hosts.length > 1 ? -1 : 1;
        }

        // Gives every row its height: to scale, but never closer than its words allow.
        place() {
            const free = this.ladder.gaps.filter(gap => !gap.cut && gap.length_s > 0).map(gap => gap.length_s);
            this.px_per_s = free.length ? STRETCH / Math.max(...free) : 0;
            let y = TOP;
            this.rows.forEach((row, at) => {
                const gap = this.ladder.gaps[at], before = at ? this.rows[at - 1].below : 0;
                if (gap.cut || gap.note) {
                    const top = y + before + 10, end = top + BAND + NOTE * (this.gapWords(gap).length - 1);
                    this.bands.set(at, [top, end]);
                    y = end + row.above + 12;
                } else {
                    y += Math.max(before + row.above + 6, ROW_MIN, gap.length_s * this.px_per_s);
                }
                row.y = y;
            });
            const end = this.rows.length ? this.rows.at(-1).y + this.rows.at(-1).below : y;
            if (this.ladder.open) this.bands.set(this.rows.length, [end + 10, end + 10 + BAND]);
            this.bottom = end + 12 + (this.ladder.open ? 10 + BAND : 0);
        }

        gapWords({length_s, note, open}) {
            return open ? [open] : [`${duration(length_s)} pass`, ...wrap(note, this.width - FIRST_X - LOOP_W - 30, NOTE_W)];
        }

        // What the reader must know of the time axis.
        scaleNote() {
            const least = this.rows.slice(1).map((row, at) => Math.max(this.rows[at].below + row.above + 6, ROW_MIN));
            const wider = this.px_per_s && Math.min(...least) < STRETCH
                ? ` Gaps above ${duration(Math.max(...least) / this.px_per_s)} are to scale, shorter ones `
                  + "are drawn wider." : "";
            const cut = this.ladder.gaps.some(gap => gap.cut) ? " The shaded gap is cut short." : "";
            return `Time runs down; the axis is in ms.${wider}${cut}`;
        }

        elements() {
            const {steps, gaps, open} = this.ladder;
            return [...this.lines(), ...this.hosts(), ...steps.flatMap((step, at) => [
                ...(this.bands.has(at) ? [this.band(...this.bands.get(at), gaps[at])] : []),
                this.packet(step, this.rows[at]),
            ]), ...(open ? [this.band(...this.bands.get(steps.length), {open, cut: false})] : [])];
        }

        hosts() {
            const {hosts, addresses} = this.ladder;
            const half = hosts.length > 1 ? Math.min(this.lane / 2 - 4, BOX) : BOX;
            return [h("text", {class: "wpw-time", x: AXIS_X - 10, y: TOP - 12}, "ms"), ...hosts.flatMap(host => {
                const x = this.x[host], address = addresses[host];
                return [
                    h("rect", {class: "wpw-box", x: one(x - half), y: 3, width: one(2 * half), height: TOP - 16,
                               rx: 7}),
                    h("text", {class: "wpw-host", x: one(x), y: address ? 22 : 31}, host),
                    ...(address ? [h("text", {class: "wpw-address", x: one(x), y: 38}, address)] : []),
                ];
            })];
        }

        // Axis and hosts' lines, left out where a band interrupts them.
        lines() {
            const edges = [TOP - 13, ...[...this.bands.values()].flat(), this.bottom], parts = [];
            for (let at = 0; at < edges.length; at += 2) {
                const [top, end] = [edges[at], edges[at + 1]], start = top === TOP - 13 ? TOP - 2 : top;
                parts.push(h("path", {class: "wpw-axis", d: `M${AXIS_X} ${one(start)}V${one(end)}`}),
                           ...Object.values(this.x).map(x => h("path", {
                               class: "wpw-life", d: `M${one(x)} ${one(top)}V${one(end)}`})));
            }
            return parts;
        }

        // Time that passes: a band with torn edges where it is cut short.
        band(top, end, gap) {
            const left = FIRST_X + LOOP_W + LOOP_GAP, steps = Math.trunc((this.width - 6 - AXIS_X + 14) / 8);
            const edge = (gap.cut ? "l4 -4l4 4" : "l4 0l4 0").repeat(steps);
            return h("g", {class: `wpw-gap${gap.cut ? " stall" : ""}`},
                h("rect", {class: "wpw-band", x: AXIS_X - 14, y: one(top), width: 8 * steps, height: one(end - top)}),
                h("path", {class: "wpw-tear",
                           d: `M${AXIS_X - 14} ${one(top + 2)}${edge}M${AXIS_X - 14} ${one(end + 2)}${edge}`}),
                this.gapWords(gap).map((line, at) => h("text", {
                    class: at ? "wpw-note" : "wpw-length", x: left, y: one(top + 20 + NOTE * at)}, line)));
        }

        packet(step, row) {
            const {packet, start, end, said} = step, {y} = row, top = y - row.above + 2;
            const fields = LivePackets.fields(packet, `${fixed(packet.time_s * 1e3, 3)} ms`, "client");
            return h("g", {class: `wpw-packet ${step.kinds.join(" ")}`, tabindex: 0, role: "img", "aria-label": said},
                h("title", {}, [said, ...fields.map(([name, value]) => `${name}: ${value}`)].join("\n")),
                h("rect", {class: "wpw-hit", x: 2, y: one(top), width: this.width - 4, rx: 4,
                           height: one(y + row.below - top)}),
                h("path", {class: "wpw-axis", d: `M${AXIS_X - 4} ${one(y)}h8`}),
                h("text", {class: "wpw-time", x: AXIS_X - 10, y: one(y + 4)}, this.time(packet)),
                start === end ? this.loop(step, y) : this.arrow(step, y), this.words(step, row));
        }

        time(packet) {
            const {steps} = this.ladder, span_s = steps.at(-1).packet.time_s - steps[0].packet.time_s;
            return fixed(packet.time_s * 1e3, span_s < 0.01 ? 3 : 2);
        }

        // Label above its arrow and note below; beside a loop both.
        words({start, end}, {labels, notes, x, anchor, y}) {
            const loop = start === end, first = loop ? y + 5 : y - 7 - LINE * (labels.length - 1);
            const under = loop ? first + LINE * labels.length : y + NOTE + 1;
            const at = {x: one(x), "text-anchor": anchor};
            return [...labels.map((line, n) => h("text", {class: "wpw-label", ...at, y: one(first + LINE * n)}, line)),
                    ...notes.map((line, n) => h("text", {class: "wpw-note", ...at, y: one(under + NOTE * n)}, line))];
        }

        arrow({start, end, lost}, y) {
            const [from, to] = [this.x[start], this.x[end]], way = to > from ? 1 : -1, x = to - way * 13;
            if (lost)  // stops short of the host that drops it
                return [h("path", {class: "wpw-line", d: `M${one(from)} ${one(y)}H${one(x)}`}),
                        h("path", {class: "wpw-cross", d: `M${one(x - 6)} ${one(y - 6)}l12 12m0 -12l-12 12`})];
            return [h("path", {class: "wpw-line", d: `M${one(from)} ${one(y)}H${one(to - way * 9)}`}),
                    h("path", {class: "wpw-head", d: `M${one(to - way)} ${one(y)}l${-way * 11} -5v10z`})];
        }

        loop({start}, y) {
            const x = this.x[start], way = this.way(start), reach = one(x + way * LOOP_W), low = one(y + LOOP_H);
            const bend = `C${reach} ${one(y)} ${reach} ${low} ${one(x + way * 9)} ${low}`;
            return [h("path", {class: "wpw-line", d: `M${one(x)} ${one(y)}${bend}`}),
                    h("path", {class: "wpw-head", d: `M${one(x + way)} ${low}l${way * 11} -5v10z`})];
        }
    }

    return {h, fixed, duration, Drawing};
})();
