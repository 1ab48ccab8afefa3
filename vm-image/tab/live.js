// How does a part of the lab run in the emulator? The same file serves a page and Node (node.mjs), so it knows neither
// files nor a document: whoever calls it brings the emulator and its bytes. A classic script and not a module, because a
// page opened from a folder may load no module; it needs disk.js.
//
//   const machine = await LiveRun.restored({V86, wasm, state, settings, disks, piece});
//   const {status} = await machine.request({...held, stdin: "{}"}, line => …);
//   await machine.end();
//
// `held` is the request that the saved guest is prepared for, of {module, arguments}, in state.json with the settings and
// disks; what else a guest can be asked for says serial_server.py. A line is {out | err: text, at_ms}, by this machine's
// clock. Or, in place of a run, a terminal for who types at the same hosts:
//
//   const shell = machine.terminal(held, {columns: 80, rows: 24}, bytes => …);
//   shell.type("client ip route get 10.0.0.2\r");
//   await shell.ended;
//
// Or a process whose standard input stays open, for cells that run one after the other. Between `rests` and the next
// `give` the machine stands still: nothing is done in it, and no time passes.
//
//   const session = machine.session(held, {seed: "…"}, line => …);
//   await session.give({source: "1 + 1"});
//   session.rests();
//
// With `counted: true` the guest's time is counted, see CountedTime: for what is judged, and while a state is made, because
// the control of what is judged is measured then. Not for what a reader is to see happen.
//
// A run has a machine of its own: one that is put back to its state a second time stands still until the
// clock has passed that of the saving, and what the client has learnt in one run spoils the next.
"use strict";
globalThis.LiveRun = (() => {
    const DEADLINE_MS = 120000, TYPES_MS = 2 ** 31 - 1;
    // For a run that counts: how late the guest's heart may beat, and how far its clock may be from this
    // machine's. Neither knows how long a connection waited. A run has to tell a wait that ends with a timer of TCP's
    // from one that needs none: the shortest such timer is 200 ms (include/net/tcp.h, TCP_RTO_MIN). Held up by less
    // than half of it, neither can be taken for the other; a half again is kept as a margin.
    const LATEST_MS = 200 / 4, APART_MS = LATEST_MS;
    const LEAST_STEP_MS = 0.0005;
    // A processor that does 500 million a second, which is what the bounds of the judges are made for (bounds.toml).
    const INSTRUCTION_NS = 2, LEAST_COUNTED_MS = 1e-6;
    const LAST_LINES = 12, LONGEST_LINE = 8e6;
    const ENDS_WITHIN_MS = 3000;  // of an emulator that has thrown, no end comes
    // Before it rests, a guest clears away what a cell has left: so long by its own clock, if that takes no longer by ours.
    const SETTLES_MS = 1000, SETTLES_WITHIN_MS = 1500;

    class RunError extends Error {}

    // Whole lines of bytes that come one by one.
    class Lines {
        constructor(onLine) {
            Object.assign(this, {onLine, bytes: []});
        }

        take(byte) {
            if (this.bytes.length > LONGEST_LINE) this.bytes = [];  // nothing of ours is so long
            if (byte !== 10) return void this.bytes.push(byte);
            const line = new TextDecoder().decode(Uint8Array.from(this.bytes));
            this.bytes = [];
            this.onLine(line);
        }
    }

    // A promise that is settled from outside.
    function later() {
        const made = {};
        made.promise = new Promise((resolve, reject) => Object.assign(made, {resolve, reject}));
        return made;
    }

    // What comes of a promise, or nothing once it has taken so long.
    function within(promise, ms) {
        let timer;
        return Promise.race([promise, new Promise(resolve => { timer = setTimeout(resolve, ms); })]).finally(() => clearTimeout(timer));
    }

    // A machine whose guest waits for a request.
    class Machine {
        constructor(emulator, now, {drives = [], time = null, boots = false} = {}) {
            Object.assign(this, {emulator, now, drives, time, boots, last: [], ready: later(), running: null, broken: null, over: false});
            this.ready.promise.catch(() => {});
            const console = new Lines(line => this.said(line.replace(/\r$/, "")));
            const answers = new Lines(line => this.heard(line));
            this.typed = null;
            emulator.add_listener("serial0-output-byte", byte => (this.typed ?? console).take(byte));
            emulator.add_listener("serial1-output-byte", byte => answers.take(byte));
        }

        // Whether its guest has something to do, or else waits for a request.
        get works() {
            return this.boots || this.running !== null;
        }

        // How many instructions its guest has done, if its time is counted.
        get instructions() {
            return this.time?.instructions ?? 0;
        }

        // A line of its console.
        said(line) {
            this.last = [...this.last.slice(1 - LAST_LINES), line];
            const [, word, release] = /^lab: (ready|failed)\b ?(.*)/.exec(line) ?? [];
            if (word === "ready") this.boots = false, this.ready.resolve(release);
            if (word === "failed") this.breaks(line);
        }

        // A line of the second serial line, on which root in the guest may write anything.
        heard(line) {
            try {
                const {status, ...said} = JSON.parse(line);
                this.answered({status, ...said});
            } catch {
                this.breaks("the guest said what is no answer");
            }
        }

        answered({status, ...line}) {
            if (!this.running) return;
            if (status === undefined) return this.running.onLine({...line, at_ms: this.now()});
            const {settled} = this.running;
            this.running = null;
            settled.resolve({status});
        }

        // What is asked for fails with this; so does all that is asked for later.
        breaks(why) {
            const said = this.last.map(line => `  ${line}`).join("\n");
            this.broken = new RunError(`${why}.\nThe console's last lines:\n${said}`);
            this.ready.reject(this.broken);
            this.running?.settled.reject(this.broken);
        }

        // Has a module run in the guest, as `python3 -m MODULE ARGUMENTS`, until it ends: {status}. Another request ends it.
        async request({module, arguments: words = [], variables = {}, stdin = "", open}, onLine = () => {}, deadline_ms = DEADLINE_MS) {
            return this.asked({module, arguments: words, variables, stdin, open}, onLine, deadline_ms, `expected ${module} to end`);
        }

        // For who saves this machine again: another request waits in the place of the one that is held.
        hold(request, deadline_ms) {
            return this.asked({hold: request}, () => {}, deadline_ms, "expected another request to be held");
        }

        async asked(object, onLine, deadline_ms, expected) {
            if (this.broken) throw this.broken;
            this.running?.settled.reject(new RunError("another request has taken its place"));
            const settled = later(), running = this.running = {onLine, settled};
            const timer = setTimeout(() => settled.reject(new RunError(`${expected}, and it did not in time`)), deadline_ms);
            this.send(object);
            try {
                return await settled.promise;
            } finally {
                clearTimeout(timer);
                if (this.running === running) this.running = null;
            }
        }

        // Mininet's prompt at the hosts that are held, for who types. Its bytes go to `onBytes`, a task's worth at a time.
        terminal(held, {columns, rows}, onBytes) {
            let portion = [];
            this.typed = {take: byte => {
                if (!portion.length) queueMicrotask(() => {
                    const bytes = Uint8Array.from(portion);
                    portion = [];
                    onBytes(bytes);
                });
                portion.push(byte);
            }};
            const ended = this.request({...held, stdin: `${JSON.stringify({terminal: [columns, rows]})}\n`}, () => {}, TYPES_MS);
            return {ended, type: text => this.emulator.serial_send_bytes(0, new TextEncoder().encode(text))};
        }

        // A request whose standard input stays open, for objects that are given one by one, a line each.
        session(held, first, onLine) {
            const ended = this.request({...held, stdin: `${JSON.stringify(first)}\n`, open: true}, onLine, TYPES_MS);
            let still = Promise.resolve();
            return {
                ended,
                rests: () => { still = this.stops().catch(() => {}); },
                give: async object => {
                    await still;
                    if (this.over) return;
                    await this.emulator.run();
                    this.send({stdin: `${JSON.stringify(object)}\n`});
                },
            };
        }

        async stops() {
            const until_ms = (this.time?.ms ?? 0) + SETTLES_MS, late_ms = performance.now() + SETTLES_WITHIN_MS;
            while (this.time && this.time.ms < until_ms && performance.now() < late_ms) await new Promise(resolve => setTimeout(resolve, 10));
            if (!this.over) await this.emulator.stop();
        }

        send(object) {
            this.emulator.serial_send_bytes(1, new TextEncoder().encode(`${JSON.stringify(object)}\n`));
        }

        end() {
            this.over = true;
            this.running?.settled.reject(new RunError("the machine was ended"));  // or its deadline would keep all of it
            for (const drive of this.drives) drive.close();
            this.time?.over?.();
            return within(this.emulator.destroy(), ENDS_WITHIN_MS);
        }
    }

    // A page's clock goes in steps of 5 to 100 microseconds. Where the emulator reads one value twice it makes up
    // the time between, by the largest step that it has seen; right behind a restore that is the page's whole age,
    // and the guest's clock leaps ahead by it and then stands still. So no value is given twice.
    function neverTwice(clock) {
        let last = -Infinity;
        return () => last = Math.max(clock(), last + LEAST_STEP_MS);
    }

    // A guest's time, counted in what it does: an instruction takes INSTRUCTION_NS, and what it would idle away passes at
    // once. A page that is slow, throttled or in the background, and an emulator that stops to compile, take longer by
    // our clock, and the guest knows nothing of it: how long a packet waits there is a matter of timers and of instructions.
    // (QEMU's -icount with sleep=off does the same.) While it waits for a piece of its disk, no time passes.
    class CountedTime {
        constructor(begin_ms) {
            Object.assign(this, {ms: begin_ms, counted: 0, instructions: 0, idle_ms: 0});
        }

        // In ms, and never the same twice, see neverTwice.
        now(emulator) {
            const counter = emulator?.get_instruction_counter() ?? 0, done = (counter - this.counted) >>> 0;
            this.counted = counter;
            this.instructions += done;
            return this.ms += done * INSTRUCTION_NS / 1e6 + LEAST_COUNTED_MS;
        }

        // For the emulator's devices, too, and in place of its waiting. Its devices' clock is all emulators': one that
        // counts runs alone, and `over` gives the clock back.
        attach(machine) {
            const {v86} = machine.emulator, waits = v86.yield, type = v86.constructor, real = type.microtick;
            type.microtick = () => this.now(machine.emulator);
            v86.yield = (ms, tick) => {
                const idles = ms > 0 && machine.works && !machine.drives.some(drive => drive.waiting);
                if (idles) this.ms += ms, this.idle_ms += ms;
                waits.call(v86, idles ? 0 : ms, tick);
            };
            this.over = () => type.microtick = real;
        }
    }

    // `wasm` and the images are ArrayBuffers: nothing is fetched here but pieces of the disks, by `piece(name)`.
    function started({V86, wasm, options, disks, piece, counted = false, now = () => performance.now(), onRefused = () => {}}) {
        const time = counted ? new CountedTime(now()) : null;
        const drives = Object.fromEntries(Object.entries(disks).map(([name, disk]) => [name, new LiveDisk.Disk(disk, piece)]));
        let machine = null;
        const emulator = new V86({
            wasm_fn: async imports => {
                imports.env.microtick = time ? () => time.now(machine?.emulator) : neverTwice(imports.env.microtick);
                try {
                    return (await WebAssembly.instantiate(wasm, imports)).instance.exports;
                } catch (error) {
                    onRefused(error);  // v86 hears of what comes, and of nothing else
                    throw error;
                }
            },
            autostart: true, ...options, ...drives,
        });
        machine = new Machine(emulator, now, {drives: Object.values(drives), time, boots: !options.initial_state});
        if (time) emulator.add_listener("emulator-ready", () => time.attach(machine));
        for (const drive of machine.drives) drive.onerror = error => machine.breaks(error.message);
        return machine;
    }

    // An emulator that finds no room says nothing: its own promise has no one who hears of its failure. It is ready before
    // it has put the state back, which takes most of the room, and loaded after that.
    async function restored({V86, wasm, state, settings, disks, piece, counted, now}) {
        const options = {...settings, initial_state: {buffer: state}, autostart: false};
        const there = later();
        const onRefused = error => there.reject(new RunError(`this browser, or the server's policy, refuses WebAssembly: ${error.message}`));
        const machine = started({V86, wasm, disks, piece, counted, now, options, onRefused});
        machine.emulator.add_listener("emulator-loaded", () => there.resolve(true));
        try {
            if (!await within(there.promise, DEADLINE_MS))
                throw new RunError("the emulator did not start; the browser may have had too little memory for it");
        } catch (error) {
            machine.end().catch(() => {});
            throw error;
        }
        await machine.emulator.run();
        return machine;
    }

    // Whether the machine kept time during a run of `labs live`, by two instruments that do not look at who waited.
    // `said` are its objects, each with the time at which its line was heard (`heard_ms`).
    function verdict(said) {
        const of = kind => said.filter(one => one.kind === kind), [begins] = of("begins"), [ends] = of("ends");
        if (!begins || !ends) throw new RunError("expected a run that begins and ends");
        const late_ms = Math.max(...of("exchange").map(one => one.late_ms));
        const guest_ms = ends.clock_ms - begins.clock_ms, host_ms = ends.heard_ms - begins.heard_ms, reasons = [];
        if (late_ms > LATEST_MS) reasons.push(`the guest's heart beat ${late_ms.toFixed(0)} ms late; ${LATEST_MS} are allowed`);
        if (Math.abs(host_ms - guest_ms) > APART_MS)
            reasons.push(`the run took ${guest_ms.toFixed(0)} ms by the guest's clock and ${host_ms.toFixed(0)} ms by `
                         + `this machine's; ${APART_MS} apart are allowed`);
        return {measured: !reasons.length, ...(reasons.length && {reason: reasons.join("; ")}),
                instruments: {late_ms, guest_ms, host_ms}};
    }

    return {restored, started, verdict, neverTwice, CountedTime, Machine, RunError};
})();
