// How does chapter 1 happen in the emulator, and what does its console say of it? The same file serves a
// page and Node (node.js), so it knows neither files nor a document: whoever calls it brings the emulator
// and its bytes. A classic script and not a module, because a page opened from a folder may load no module; it needs
// packets.js, which dissects what was captured, once a run is over.
//
//   const machine = await LiveRun.restored({V86, wasm, state, settings});
//   const run = await machine.run({told: false, trace: true});
//   await machine.end();
//
// or, in place of a run, a shell for who types:
//
//   const shell = machine.terminal({columns: 80, rows: 24}, bytes => …);
//   shell.type("ip route get 10.0.0.2\r");
//   await shell.ended;
//
// A run has a machine of its own: one that is put back to its state a second time stands still until the
// clock has passed that of the saving, and what the client has learnt in one run spoils the next.
"use strict";
globalThis.LiveRun = (() => {
    // For a run that counts: how late the guest's heart may beat, and how far its clock may be from this
    // machine's. Neither knows how long a connection waited. A run has to tell a wait that ends with a timer of TCP's
    // from one that needs none: the shortest such timer is 200 ms (include/net/tcp.h, TCP_RTO_MIN). Held up by less
    // than half of it, neither can be taken for the other; a half again is kept as a margin.
    const LATEST_MS = 200 / 4, APART_MS = LATEST_MS;
    const DEADLINE_MS = 60000;
    const LEAST_STEP_MS = 0.0005;
    const LAST_LINES = 12;
    const SHELL_END = "lab: shell-end";
    const EXCHANGES = {"A": "a_ms", "B": "b_ms", "B-again": "b_again_ms"};
    const NUMBER = "(-?\\d+(?:\\.\\d+)?)";
    const SAYS = {
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

    // What the guest's console has said, in lines; `next` waits for one.
    class Console {
        constructor(emulator, now) {
            this.lines = [];
            this.last = [];
            this.partial = "";
            this.waiting = null;
            this.now = now;
            this.terminal = null;
            emulator.add_listener("serial0-output-byte", byte => this.take(byte));
        }

        take(byte) {
            if (this.terminal) return this.terminal(byte);
            if (byte !== 10) {
                if (byte !== 13) this.partial += String.fromCharCode(byte);
                return;
            }
            const line = {text: this.partial, at_ms: this.now()};
            this.partial = "";
            this.last = [...this.last.slice(1 - LAST_LINES), line.text];
            this.lines.push(line);
            this.waiting?.();
        }

        async next(deadline_ms) {
            while (!this.lines.length) {
                const left_ms = deadline_ms - this.now();
                const came = left_ms > 0 && await new Promise(resolve => {
                    const timer = setTimeout(() => resolve(false), left_ms);
                    this.waiting = () => { clearTimeout(timer); resolve(true); };
                });
                this.waiting = null;
                if (!came) throw this.error("expected a line of the guest's console, and none came in time");
            }
            return this.lines.shift();
        }

        // From here on the bytes are `onBytes`', a task's worth at a time, and none is read here. Resolves behind
        // the line with which init takes the console back.
        given(onBytes) {
            let portion = [], line = "";
            return new Promise(resolve => {
                this.terminal = byte => {
                    if (!portion.length) queueMicrotask(() => {
                        const bytes = Uint8Array.from(portion);
                        portion = [];
                        onBytes(bytes);
                        if (!this.terminal) resolve();
                    });
                    portion.push(byte);
                    line = byte === 10 ? "" : (line + String.fromCharCode(byte)).slice(-SHELL_END.length);
                    if (line === SHELL_END) this.terminal = null;
                };
            });
        }

        error(what) {
            const said = [...this.last, ...(this.partial ? [this.partial] : [])];
            return new RunError(`${what}. The console's last lines:\n${said.map(line => `  ${line}`).join("\n")}`);
        }
    }

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

    // The lines of one run, [{text, at_ms}], as its JSON. A line that is not known, or is missing, is an error.
    function parse(lines, {told, trace}) {
        const run = {a_ms: null, b_ms: null, b_again_ms: null, control: told, measured: false};
        const seen = {}, exchanges = [], counters = {}, captured = [];
        let traced = null;
        for (const {text, at_ms} of lines) {
            if (traced && !traced.over && text !== "lab: trace-end") {
                traced.lines.push(text);
                continue;
            }
            const line = understood(text);
            if (!line) throw new RunError(`expected a line of the run, found: ${text}`);
            const [first, second, third, fourth, fifth] = line.words;
            if (line.kind === "failed") throw new RunError(`the guest could not: ${first}`);
            if (line.kind === "counter") counters[first] = Number(second);
            else if (line.kind === "packet")
                captured.push({at_ms: Number(first), interface: second, outgoing: third === "out",
                               length_bytes: Number(fourth), hex: fifth});
            else if (line.kind === "exchange") {
                if (!(first in EXCHANGES)) throw new RunError(`expected an exchange of A or B, found: ${text}`);
                exchanges.push({name: first, bytes: Number(second), at_ms: Number(third), waited_ms: Number(fourth)});
            } else if (seen[line.kind]) throw new RunError(`expected one line "${line.kind}", found another: ${text}`);
            else seen[line.kind] = {words: line.words, at_ms};
            if (line.kind === "trace-begin") traced = {lines: [], over: false};
            if (line.kind === "trace-end" && traced) traced.over = true;
        }
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

    // A machine whose guest waits for a command. `settings` are those of the emulator that saved the state.
    class Machine {
        constructor(emulator, now) {
            this.emulator = emulator;
            this.console = new Console(emulator, now);
            this.now = now;
        }

        // Until a line that `ends` says is the last; all lines up to it.
        async until(ends, deadline_ms) {
            const lines = [], until_ms = this.now() + deadline_ms;
            do lines.push(await this.console.next(until_ms));
            while (!ends(lines.at(-1).text));
            return lines;
        }

        async run({told = false, trace = false} = {}, deadline_ms = DEADLINE_MS) {
            this.emulator.serial0_send(`run ${told ? "told" : "fault"} ${trace ? "traced" : "quiet"}\n`);
            const lines = await this.until(text => /^lab: (done|failed|unknown)\b/.test(text), deadline_ms);
            try {
                return parse(lines, {told, trace});
            } catch (error) {
                throw error instanceof RunError ? this.console.error(error.message) : error;
            }
        }

        // A shell in the guest, for who types. `columns` and `rows` are the terminal's, whose bytes go to `onBytes`;
        // `ended` resolves when the shell has ended.
        terminal({columns, rows}, onBytes) {
            const ended = this.console.given(onBytes);
            this.emulator.serial0_send(`shell ${columns} ${rows}\n`);
            return {ended, type: text => this.emulator.serial0_send(
                Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(""))};
        }

        end() {
            return this.emulator.destroy();
        }
    }

    // A page's clock goes in steps of 5 to 100 microseconds. Where the emulator reads one value twice it makes up
    // the time between, by the largest step that it has seen; right behind a restore that is the page's whole age,
    // and the guest's clock leaps ahead by it and then stands still. So no value is given twice.
    function neverTwice(clock) {
        let last = -Infinity;
        return () => last = Math.max(clock(), last + LEAST_STEP_MS);
    }

    // `wasm` and the images are ArrayBuffers: nothing is fetched here.
    function started({V86, wasm, options, now = () => performance.now()}) {
        const emulator = new V86({
            wasm_fn: async imports => {
                imports.env.microtick = neverTwice(imports.env.microtick);
                return (await WebAssembly.instantiate(wasm, imports)).instance.exports;
            },
            autostart: true, ...options,
        });
        return new Machine(emulator, now);
    }

    async function restored({V86, wasm, state, settings, now}) {
        const machine = started({V86, wasm, now, options: {...settings, initial_state: {buffer: state}, autostart: false}});
        await new Promise(resolve => machine.emulator.add_listener("emulator-ready", resolve));
        await machine.emulator.run();
        return machine;
    }

    return {restored, started, parse, understood, stacksOf, verdict, neverTwice, RunError, Machine};
})();
