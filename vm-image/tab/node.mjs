// How is the tab's guest booted, saved and tried without a browser? Under Node, called by host/tab/:
//
//   node node.mjs make FOLDER                boots the kernel that lies there; leaves state.zst and says what it is
//   node node.mjs run FOLDER JSON            restores that state and runs chapter 1 once, as this asks; see labs/live.py
//   node node.mjs ask FOLDER JSON            restores that state and has it work on one request, see live.js
//   node node.mjs check FOLDER JSON          restores it and judges an answer, {exercise, answer}, as protocol.js does
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
// A boot takes some 130 s of a processor. On a busy machine it waits for its turn, which is no reason to give it up.
const BOOT_CPU_S = 600, BOOT_DEADLINE_S = 3600, DEADLINE_MS = 300000;
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
    const {settings, cmdline, disks} = described(folder, "boot.json");
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
    const release = await machine.ready.promise.finally(() => clearInterval(looks)), [boot_s, cpu_s] = spent_s();
    await machine.emulator.stop();
    const state = new Uint8Array(await machine.emulator.save_state());
    await machine.end();
    const packed = zstdCompressSync(state, {params: ZSTD});
    writeFileSync(join(folder, "state.zst"), packed);
    return {release, boot_s, cpu_s, unpacked_bytes: state.length};
}

async function saved(folder, read, counted) {
    const {settings, disks, files} = described(folder, "state.json");
    for (const [name, {sha256}] of Object.entries(files)) {
        if (createHash("sha256").update(new Uint8Array(bytes(folder, name))).digest("hex") !== sha256)
            throw new Error(`state and emulator are one pair, and ${name} is not the one that was made with the others`);
    }
    return restored({...emulator(folder, read), state: bytes(folder, "state.zst"), settings, disks, counted});
}

// What a request leads to in a machine of its own.
async function asked(folder, request, counted = false) {
    const begin_ms = performance.now(), lines = [], read = [];
    const machine = await saved(folder, read, counted);
    const restored_ms = performance.now();
    const {status} = await machine.request(request, line => lines.push(line), DEADLINE_MS);
    const ran_ms = performance.now();
    await machine.end();
    return {status, lines, host: {
        restore_ms: restored_ms - begin_ms, run_ms: ran_ms - restored_ms,
        pieces: read.length, pieces_bytes: read.reduce((sum, {bytes}) => sum + bytes, 0),
    }};
}

async function ask(folder, [request]) {
    return asked(folder, JSON.parse(request));
}

// Beside the verdict what was said on the way, and what it cost: by our clock, and in the guest's instructions.
async function check(folder, [words]) {
    const begin_ms = performance.now(), said = [], read = [];
    const machine = await saved(folder, read, true);
    const verdict = await globalThis.LiveProtocol.check(machine, described(folder, "state.json").held, JSON.parse(words),
                                                        one => said.push({...one, host_ms: Math.round(performance.now() - begin_ms),
                                                                           instructions: machine.instructions}));
    const {instructions, time: {idle_ms}} = machine;
    await machine.end();
    return {...verdict, said, host: {took_ms: performance.now() - begin_ms, cpu_s: process.cpuUsage().user / 1e6, instructions,
                                     idle_ms, pieces_bytes: read.reduce((sum, {bytes}) => sum + bytes, 0)}};
}

async function run(folder, [words]) {
    const begin_ms = performance.now(), {held} = described(folder, "state.json");
    const {status, lines, host} = await asked(folder, {...held, stdin: `${words}\n`});
    const said = lines.filter(line => line.out).map(({out, at_ms}) => ({...JSON.parse(out), heard_ms: at_ms}));
    const {kind, heard_ms, ...outcome} = said.find(one => one.kind === "outcome") ?? {};
    if (!kind) throw new Error(`the guest could not (status ${status}): ${lines.map(({out, err}) => err ?? out).join("\n")}`);
    const figures = said.filter(one => one.kind === "figure");
    return {...outcome, ...verdict(said), figures: Object.fromEntries(figures.map(({name, tree}) => [name, tree])),
            host: {...host, figures_ms: figures.map(one => one.heard_ms - begin_ms)}};
}

// As who types does, and not ahead: while a host's command runs, Mininet hands what is typed to that command.
async function type(folder, [prompt, ...lines]) {
    const machine = await saved(folder), said = [], left = [...lines, "exit"];
    const text = () => new TextDecoder().decode(Uint8Array.from(said));
    const shell = machine.terminal(described(folder, "state.json").held, SCREEN, bytes => {
        said.push(...bytes);
        if (left.length && text().endsWith(prompt)) shell.type(`${left.shift()}\r`);
    });
    const ended = await Promise.race([shell.ended.then(() => true), new Promise(resolve => setTimeout(resolve, DEADLINE_MS, false))]);
    await machine.end();
    return {ended, said: text()};
}

const [verb, named, ...words] = process.argv.slice(2);
const folder = resolve(named);
let status = 0, answer;
try {
    answer = await {make, run, ask, check, type}[verb](folder, words);
} catch (error) {
    [answer, status] = [{error: error.message}, 3];
}
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(status));
