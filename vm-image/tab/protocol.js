// What does the tab's guest say of a run, and what becomes of it? Both ends are here in vm-image/tab/: init and exchange
// print the lines, on the console. A classic script, for live.js; it needs packets.js once it is called.
//
//   LiveProtocol.soFar(lines)                   while it runs
//   LiveProtocol.parse(lines, {told, trace})    when it is over
//
// A line is {text, at_ms}, by this machine's clock.
"use strict";
globalThis.LiveProtocol = (() => {
    // For a run that counts: how late the guest's heart may beat, and how far its clock may be from this
    // machine's. Neither knows how long a connection waited. A run has to tell a wait that ends with a timer of TCP's
    // from one that needs none: the shortest such timer is 200 ms (include/net/tcp.h, TCP_RTO_MIN). Held up by less
    // than half of it, neither can be taken for the other; a half again is kept as a margin.
    const LATEST_MS = 200 / 4, APART_MS = LATEST_MS;
    const EXCHANGES = {"A": "a_ms", "B": "b_ms", "B-again": "b_again_ms"};
    const NUMBER = "(-?\\d+(?:\\.\\d+)?)";
    const SAYS = {
        awake: /^awake$/,
        waits: new RegExp(`^waits (\\S+) ${NUMBER}$`),
        begin: new RegExp(`^begin ${NUMBER}$`),
        exchange: new RegExp(`^exchange (\\S+) (\\d+) ${NUMBER} ${NUMBER}$`),
        end: new RegExp(`^end ${NUMBER}$`),
        heartbeat: new RegExp(`^heartbeat (\\d+) ${NUMBER}$`),
        packet: new RegExp(`^packet ${NUMBER} (\\S+) (in|out) (\\d+) ([0-9a-f]+)$`),
        counter: /^counter ([A-Za-z]+) (-?\d+)$/,
        "trace-begin": /^trace-begin$/,
        "trace-end": /^trace-end$/,
        failed: /^failed (.+)$/,
        done: /^done (\d+)$/,
    };
    // tracefs, `trace`: who, on which processor, flags, seconds, and the event or the word for its stack.
    const EVENT = /^ *(.+)-(\d+) +\[\d+\] +\S+ +(\d+\.\d+): (?:(\w+): \((\w+)\+0x[0-9a-f]+(?:\/0x[0-9a-f]+)?\)|<stack trace>)$/;
    const FRAME = /^ => (.+)$/;

    class RunError extends Error {}

    // One line "lab: …" as {kind, words}, or null if it is none that this file knows.
    function understood(text) {
        if (!text.startsWith("lab: ")) return null;
        const said = text.slice("lab: ".length);
        const pattern = SAYS[said.split(" ")[0]];
        const found = pattern && pattern.exec(said);
        return found && {kind: said.split(" ")[0], words: found.slice(1)};
    }

    // A time of the guest's clock, in µs at best, counted from the run's begin.
    const after_ms = (at_ms, start_ms) => Math.round((at_ms - start_ms) * 1e3) / 1e3;

    // What was captured, dissected, or a RunError.
    function packetsOf(captured, start_ms) {
        try {
            return LivePackets.dissected(captured).map(one => ({...one, at_ms: after_ms(one.at_ms, start_ms)}));
        } catch (error) {
            throw error instanceof LivePackets.PacketError ? new RunError(error.message) : error;
        }
    }

    // tracefs' `trace` as events in their order, each with its stack, or a RunError. `start_ms`: the run's.
    function stacksOf(lines, start_ms) {
        const events = [];
        let open = null;
        for (const text of lines) {
            if (text === "" || text.startsWith("#")) continue;
            const event = EVENT.exec(text), frame = FRAME.exec(text);
            if (event && event[4]) {
                events.push({function: event[5], process: event[1],
                             at_ms: Math.round(Number(event[3]) * 1e6 - start_ms * 1e3) / 1e3, frames: null});
                open = null;
            } else if (event && events.length && events.at(-1).frames === null) {
                open = events.at(-1).frames = [];
            } else if (frame && open) {
                open.push(frame[1]);
            } else {
                throw new RunError(`expected a line of tracefs' trace, found: ${text}`);
            }
        }
        for (const event of events) {
            // Above the function itself are the frames of the probe.
            const at = event.frames ? event.frames.indexOf(event.function) : -1;
            if (at < 0) throw new RunError(`expected ${event.function} in its own stack, found ${event.frames || "none"}`);
            event.frames.splice(0, at + 1);
        }
        return events;
    }

    // Whether the machine kept time during the run, by two instruments that do not look at who waited.
    function verdict({heart, guest_ms, host_ms}) {
        const reasons = [];
        if (heart.latest_ms > LATEST_MS)
            reasons.push(`the guest's heart beat ${heart.latest_ms.toFixed(0)} ms late; ${LATEST_MS} are allowed`);
        if (Math.abs(host_ms - guest_ms) > APART_MS)
            reasons.push(`the run took ${guest_ms.toFixed(0)} ms by the guest's clock and ${host_ms.toFixed(0)} ms by `
                         + `this machine's; ${APART_MS} apart are allowed`);
        return {measured: !reasons.length, ...(reasons.length && {reason: reasons.join("; ")})};
    }

    // What lines of one run say, [{text, at_ms}], in its parts. A line that is not known is an error.
    function gathered(lines) {
        const seen = {}, exchanges = [], counters = {}, captured = [];
        let traced = null, waits = null;
        for (const {text, at_ms} of lines) {
            if (traced && !traced.over && text !== "lab: trace-end") {
                traced.lines.push(text);
                continue;
            }
            const line = understood(text);
            if (!line) throw new RunError(`expected a line of the run, found: ${text}`);
            const [first, second, third, fourth, fifth] = line.words;
            if (line.kind === "failed") throw new RunError(`the guest could not: ${first}`);
            if (line.kind === "waits") waits = {name: first, at_ms: Number(second), waited_ms: null};
            else if (line.kind === "counter") counters[first] = Number(second);
            else if (line.kind === "packet")
                captured.push({at_ms: Number(first), interface: second, outgoing: third === "out",
                               length_bytes: Number(fourth), hex: fifth});
            else if (line.kind === "exchange") {
                if (!(first in EXCHANGES)) throw new RunError(`expected an exchange of A or B, found: ${text}`);
                exchanges.push({name: first, bytes: Number(second), at_ms: Number(third), waited_ms: Number(fourth)});
                waits = null;
            } else if (seen[line.kind]) throw new RunError(`expected one line "${line.kind}", found another: ${text}`);
            else seen[line.kind] = {words: line.words, at_ms};
            if (line.kind === "trace-begin") traced = {lines: [], over: false};
            if (line.kind === "trace-end" && traced) traced.over = true;
        }
        return {seen, exchanges, counters, captured, traced, waits};
    }

    // How far a run is by its first lines: whether the guest is `awake`, and exchanges and packets as a run's JSON has
    // them. Who waits now has an exchange without an end (null).
    function soFar(lines) {
        const {seen, exchanges, captured, waits} = gathered(lines);
        const start_ms = Number(seen.begin?.words[0] ?? 0);
        return {awake: Boolean(seen.awake), packets: packetsOf(captured, start_ms),
                exchanges: [...exchanges, ...(waits ? [waits] : [])]
                    .map(one => ({...one, at_ms: after_ms(one.at_ms, start_ms)}))};
    }

    // The lines of one run as its JSON. A line that is not known, or is missing, is an error.
    function parse(lines, {told, trace}) {
        const run = {a_ms: null, b_ms: null, b_again_ms: null, control: told, measured: false};
        const {seen, exchanges, counters, captured, traced} = gathered(lines);
        const wanted = ["begin", "end", "heartbeat", "done", ...(trace ? ["trace-begin", "trace-end"] : [])];
        const missing = wanted.filter(kind => !seen[kind]);
        if (missing.length) throw new RunError(`expected the lines ${wanted.join(", ")}; missing: ${missing.join(", ")}`);
        if (seen.done.words[0] !== "0") throw new RunError(`the exchange ended with status ${seen.done.words[0]}`);
        if (exchanges.map(one => one.name).join() !== Object.keys(EXCHANGES).join())
            throw new RunError(`expected exchanges A, B, B-again, found ${exchanges.map(one => one.name).join(", ")}`);
        const start_ms = Number(seen.begin.words[0]);
        for (const one of exchanges) {
            run[EXCHANGES[one.name]] = one.waited_ms;
            one.at_ms = after_ms(one.at_ms, start_ms);
        }
        const heart = {beats: Number(seen.heartbeat.words[0]), latest_ms: Number(seen.heartbeat.words[1])};
        const guest_ms = Number(seen.end.words[0]) - start_ms, host_ms = seen.end.at_ms - seen.begin.at_ms;
        Object.assign(run, verdict({heart, guest_ms, host_ms}));
        const packets = packetsOf(captured, start_ms);
        Object.assign(run, {exchanges, counters, packets, instruments: {heart, guest_ms, host_ms}});
        if (trace) run.stacks = stacksOf(traced.lines, start_ms);
        return run;
    }

    return {parse, soFar, RunError};
})();
