// How is the tab's kernel booted, saved and tried without a browser? Under Node, called by host/tab/:
//
//   node node.mjs make FOLDER                boots the kernel that lies there; leaves state.zst and says what it is
//   node node.mjs run FOLDER [told] [trace]  restores that state and runs chapter 1 once
//   node node.mjs type FOLDER LINE ...       restores it, types the lines and says what the terminal said
//
// Prints one JSON object; an error is {"error": …} and status 3. FOLDER's state.json holds the hash of each
// file, and its settings are those of the machine that was saved.
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import {constants, zstdCompressSync} from "node:zlib";
import "./packets.js";
import "./protocol.js";
import "./live.js";

const {restored, started} = globalThis.LiveRun;
const BOOT_DEADLINE_MS = 150000, TYPED_MS = 60000;
const SCREEN = {columns: 80, rows: 24};
const ZSTD = {[constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1};

function bytes(folder, name) {
    const read = readFileSync(join(folder, name));
    return read.buffer.slice(read.byteOffset, read.byteOffset + read.byteLength);
}

// The emulator as a page loads it, from the same two files.
function emulator(folder) {
    const {V86} = createRequire(import.meta.url)(join(folder, "libv86.js"));
    return {V86, wasm: bytes(folder, "v86.wasm")};
}

async function make(folder) {
    const recipe = JSON.parse(readFileSync(join(folder, "boot.json"), "utf8"));
    const begin_ms = performance.now();
    const image = name => ({buffer: bytes(folder, name)});
    const machine = started({...emulator(folder), options: {
        ...recipe.settings, cmdline: recipe.cmdline, bzimage: image("vmlinuz"), initrd: image("initramfs"),
        bios: image("bios.bin"), vga_bios: image("vgabios.bin"),
    }});
    const lines = await machine.until(text => /^lab: (ready|failed)\b/.test(text), BOOT_DEADLINE_MS);
    const [, word, release] = lines.at(-1).text.split(" ");
    if (word !== "ready") throw machine.console.error("expected the guest to become ready");
    const boot_ms = performance.now() - begin_ms;
    await machine.emulator.stop();
    const state = new Uint8Array(await machine.emulator.save_state());
    await machine.end();
    const packed = zstdCompressSync(state, {params: ZSTD});
    writeFileSync(join(folder, "state.zst"), packed);
    return {release, boot_s: boot_ms / 1e3, unpacked_bytes: state.length};
}

async function saved(folder) {
    const {settings, files} = JSON.parse(readFileSync(join(folder, "state.json"), "utf8"));
    for (const [name, {sha256}] of Object.entries(files)) {
        if (createHash("sha256").update(new Uint8Array(bytes(folder, name))).digest("hex") !== sha256)
            throw new Error(`state and emulator are one pair, and ${name} is not the one that was made with the others`);
    }
    return restored({...emulator(folder), state: bytes(folder, "state.zst"), settings});
}

async function run(folder, words) {
    const begin_ms = performance.now();
    const machine = await saved(folder);
    const restored_ms = performance.now();
    const seen = await machine.run({told: words.includes("told"), trace: words.includes("trace")});
    const ran_ms = performance.now();
    await machine.end();
    return {...seen, host: {restore_ms: restored_ms - begin_ms, run_ms: ran_ms - restored_ms}};
}

async function type(folder, lines) {
    const machine = await saved(folder), said = [];
    const shell = machine.terminal(SCREEN, bytes => said.push(...bytes));
    for (const line of [...lines, "exit"]) shell.type(`${line}\r`);
    const ended = await Promise.race([shell.ended.then(() => true), new Promise(resolve => setTimeout(resolve, TYPED_MS, false))]);
    await machine.end();
    return {ended, said: new TextDecoder().decode(Uint8Array.from(said))};
}

const [verb, named, ...words] = process.argv.slice(2);
const folder = resolve(named);
let status = 0, answer;
try {
    answer = await {make, run, type}[verb](folder, words);
} catch (error) {
    [answer, status] = [{error: error.message}, 3];
}
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(status));
