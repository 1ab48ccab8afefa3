// How does chapter 1 happen in the emulator? The same file serves a page and Node (node.mjs), so it knows neither files
// nor a document: whoever calls it brings the emulator and its bytes. A classic script and not a module, because a page
// opened from a folder may load no module; it needs protocol.js, which reads what the console says.
//
//   const machine = await LiveRun.restored({V86, wasm, state, settings});
//   const run = await machine.run({told: false, trace: true}, lines => show(LiveProtocol.soFar(lines)));
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
    const DEADLINE_MS = 60000;
    const LEAST_STEP_MS = 0.0005;
    const LAST_LINES = 12;
    const SHELL_END = "lab: shell-end";

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
            return new LiveProtocol.RunError(`${what}. The console's last lines:\n${said.map(line => `  ${line}`).join("\n")}`);
        }
    }

    // A machine whose guest waits for a command. `settings` are those of the emulator that saved the state.
    class Machine {
        constructor(emulator, now) {
            this.emulator = emulator;
            this.console = new Console(emulator, now);
            this.now = now;
        }

        // Until a line that `ends` says is the last; all lines up to it, which `onLines` gets with each that came.
        async until(ends, deadline_ms, onLines = () => {}) {
            const lines = [], until_ms = this.now() + deadline_ms;
            do {
                lines.push(await this.console.next(until_ms));
                onLines(lines);
            } while (!ends(lines.at(-1).text));
            return lines;
        }

        // `onLines` is called with each line of the run, all so far: see protocol.js.
        async run({told = false, trace = false} = {}, onLines = () => {}, deadline_ms = DEADLINE_MS) {
            this.emulator.serial0_send(`run ${told ? "told" : "fault"} ${trace ? "traced" : "quiet"}\n`);
            const lines = await this.until(text => /^lab: (done|failed|unknown)\b/.test(text), deadline_ms, onLines);
            try {
                return LiveProtocol.parse(lines, {told, trace});
            } catch (error) {
                throw error instanceof LiveProtocol.RunError ? this.console.error(error.message) : error;
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

    return {restored, started, neverTwice, Machine};
})();
