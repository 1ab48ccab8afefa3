// How is the tab's guest booted, saved and tried without a browser? Under Node, called by host/tab/:
//
//   node node.mjs make FOLDER                boots the kernel that lies there; leaves the states that boot.json names, each
//                                            with its request held, and says what they are
//   node node.mjs run FOLDER JSON            restores that state and runs chapter 1 once, as this asks; see labs/live.py
//   node node.mjs ask FOLDER JSON            restores that state and has it work on one request, see live.js
//   node node.mjs check FOLDER JSON          restores it and judges an answer, {exercise, answer}, as protocol.js does
//   node node.mjs cells FOLDER CELL ...      restores it and runs these cells of a notebook, see labs/cells.py
//   node node.mjs type FOLDER PROMPT LINE ...  restores it, types each line at a prompt; says what the terminal said
//
// Prints one JSON object; an error is {"error": …} and status 3. FOLDER's state.json holds the hash of each
// file, and its settings are those of the machine that was saved.
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {readFile} from "node:fs/promises";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import {constants, zstdCompressSync} from "node:zlib";
import "./disk.js";
import "./live.js";
import "./protocol.js";

const {restored, started, verdict} = globalThis.LiveRun;
// To boot, and to hold what each state holds, takes some 500 s of a slow processor. On a busy machine it waits for its turn,
// which is no reason to give it up.
const BOOT_CPU_S = 1500, BOOT_DEADLINE_S = 3600, DEADLINE_MS = 300000;
const RUNS = "state.zst", CELLS = "cells.zst";  // the states by what they are for
const SCREEN = {columns: 80, rows: 24};
// Of what a process and its forks have in common they have copies, far apart: the window is as large as is read by default.
const ZSTD = {[constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_windowLog]: 27,
              [constants.ZSTD_c_enableLongDistanceMatching]: 1};

const whole = read => read.buffer.slice(read.byteOffset, read.byteOffset + read.byteLength);
const bytes = (folder, name) => whole(readFileSync(join(folder, name)));
const described = (folder, name) => JSON.parse(readFileSync(join(folder, name), "utf8"));

// The emulator as a page loads it, from the same two files, and the disks' pieces, counted as they are read.
function emulator(folder, read = []) {
    const {V86} = createRequire(import.meta.url)(join(folder, "libv86.js"));
    const piece = async name => {
        const found = whole(await readFile(join(folder, "pieces", name)));
        read.push({name, bytes: found.byteLength});
        return found;
    };
    return {V86, wasm: bytes(folder, "v86.wasm"), piece};
}

async function make(folder) {
    const {settings, cmdline, disks, held} = described(folder, "boot.json");
    const begin_ms = performance.now(), image = name => ({buffer: bytes(folder, name)});
    const machine = started({...emulator(folder), disks, counted: true, options: {
        ...settings, cmdline, bzimage: image("vmlinuz"), initrd: image("initramfs"),
        bios: image("bios.bin"), vga_bios: image("vgabios.bin"),
    }});
    const spent_s = () => [(performance.now() - begin_ms) / 1e3, process.cpuUsage().user / 1e6];
    const looks = setInterval(() => {
        const [boot_s, cpu_s] = spent_s();
        if (boot_s > BOOT_DEADLINE_S || cpu_s > BOOT_CPU_S) machine.breaks("expected the guest to become ready");
    }, 1000);
    const release = await machine.ready.promise, [boot_s, cpu_s] = spent_s(), states = [];
    for (const [name, request] of Object.entries(held)) {  // the first one was begun by the boot
        if (states.length) await machine.emulator.run(), await machine.hold(request, BOOT_DEADLINE_S * 1000);
        await machine.emulator.stop();
        states.push([name, new Uint8Array(await machine.emulator.save_state())]);
    }
    clearInterval(looks);
    await machine.end();
    for (const [name, state] of states) writeFileSync(join(folder, name), zstdCompressSync(state, {params: ZSTD}));
    return {release, boot_s, cpu_s};
}

// A machine that goes on from that state, and the request that it holds.
async function saved(folder, name, read, counted) {
    const {settings, disks, files, held} = described(folder, "state.json");
    for (const [name, {sha256}] of Object.entries(files)) {
        if (createHash("sha256").update(new Uint8Array(bytes(folder, name))).digest("hex") !== sha256)
            throw new Error(`state and emulator are one pair, and ${name} is not the one that was made with the others`);
    }
    return [await restored({...emulator(folder, read), state: bytes(folder, name), settings, disks, counted}), held[name]];
}

// What `worksOn(machine, held)` leads to in a machine of its own, and what that cost.
async function withMachine(folder, name, counted, worksOn) {
    const begin_ms = performance.now(), read = [];
    const [machine, held] = await saved(folder, name, read, counted);
    const spent = () => ({host_ms: performance.now() - begin_ms, instructions: machine.instructions,
                          pieces: read.length, pieces_bytes: read.reduce((sum, {bytes}) => sum + bytes, 0)});
    const restored_ms = spent().host_ms;
    try {
        const found = await worksOn(machine, held, spent);
        return {...found, host: {...spent(), restore_ms: restored_ms, run_ms: spent().host_ms - restored_ms,
                                 idle_ms: machine.time?.idle_ms, cpu_s: process.cpuUsage().user / 1e6}};
    } finally {
        await machine.end();
    }
}

async function asked(folder, requested) {
    return withMachine(folder, RUNS, false, async (machine, held) => {
        const lines = [];
        const {status} = await machine.request(requested(held), line => lines.push(line), DEADLINE_MS);
        return {status, lines};
    });
}

function ask(folder, [request]) {
    return asked(folder, () => JSON.parse(request));
}

// Beside the verdict what was said on the way, and what it cost: by our clock, and in the guest's instructions.
function check(folder, [words]) {
    return withMachine(folder, RUNS, true, async (machine, held, spent) => {
        const said = [];
        const verdict = await globalThis.LiveProtocol.check(machine, held, JSON.parse(words), one => {
            const {host_ms, instructions} = spent();
            said.push({...one, host_ms: Math.round(host_ms), instructions});
        });
        return {...verdict, said};
    });
}

// What this comes to, if it does so before its deadline.
async function inTime(promise, what) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`expected ${what} to end, and it did not in time`)), DEADLINE_MS);
    });
    try {
        return await Promise.race([promise, late]);
    } finally {
        clearTimeout(timer);
    }
}

// What each cell led to, and what had been spent by then.
function cells(folder, sources) {
    return withMachine(folder, CELLS, true, async (machine, held, spent) => {
        const notebook = globalThis.LiveProtocol.notebook(machine, held), ran = [];
        for (const source of sources) {
            const said = [], {failed = false} = await inTime(notebook.run(source, one => said.push(one)), "the cell");
            ran.push({said, failed, ...spent()});
        }
        return {ran};
    });
}

async function run(folder, [words]) {
    const begin_ms = performance.now();
    const {status, lines, host} = await asked(folder, held => ({...held, stdin: `${words}\n`}));
    const said = lines.filter(line => line.out).map(({out, at_ms}) => ({...JSON.parse(out), heard_ms: at_ms}));
    const {kind, heard_ms, ...outcome} = said.find(one => one.kind === "outcome") ?? {};
    if (!kind) throw new Error(`the guest could not (status ${status}): ${lines.map(({out, err}) => err ?? out).join("\n")}`);
    const figures = said.filter(one => one.kind === "figure");
    return {...outcome, ...verdict(said), figures: Object.fromEntries(figures.map(({name, tree}) => [name, tree])),
            host: {...host, figures_ms: figures.map(one => one.heard_ms - begin_ms)}};
}

// As who types does, and not ahead: while a host's command runs, Mininet hands what is typed to that command.
function type(folder, [prompt, ...lines]) {
    return withMachine(folder, RUNS, false, async (machine, held) => {
        const said = [], left = [...lines, "exit"];
        const text = () => new TextDecoder().decode(Uint8Array.from(said));
        const shell = machine.terminal(held, SCREEN, bytes => {
            said.push(...bytes);
            if (left.length && text().endsWith(prompt)) shell.type(`${left.shift()}\r`);
        });
        const ended = await Promise.race([shell.ended.then(() => true), new Promise(resolve => setTimeout(resolve, DEADLINE_MS, false))]);
        return {ended, said: text()};
    });
}

const [verb, named, ...words] = process.argv.slice(2);
const folder = resolve(named);
let status = 0, answer;
try {
    answer = await {make, run, ask, check, cells, type}[verb](folder, words);
} catch (error) {
    [answer, status] = [{error: error.message}, 3];
}
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(status));
