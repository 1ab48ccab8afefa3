"""Does a page get what its guest says, and nothing else? vm-image/tab/live.js and disk.js under Node, without an
emulator."""

import json
import subprocess

import pytest

from host.tab import node

# In the place of the emulator is one that only has listeners; `says` is what the guest prints on a serial line.
MACHINE = """
import "./disk.js";
import "./live.js";
const sent = [], heard = {}, tick = () => new Promise(resolve => setTimeout(resolve));
const emulator = {
    add_listener: (name, taken) => { heard[name] = taken; },
    serial_send_bytes: (line, bytes) => sent.push([line, new TextDecoder().decode(bytes)]),
};
const machine = new LiveRun.Machine(emulator, () => 7);
const says = async (line, text) => {
    for (const byte of new TextEncoder().encode(text)) heard[`serial${line}-output-byte`](byte);
    await tick();
};
const why = error => ({error: error.message, known: error instanceof LiveRun.RunError});
const ended = promise => promise.then(value => ({value}), why);
"""
DISK = """
import "./disk.js";
const asked = [], names = ["a", "b", "c"];
let lost = 0;
const piece = async name => {
    asked.push(name);
    if (lost-- > 0) throw new Error(`${name} could not be loaded`);
    return new Uint8Array(name === "c" ? 4 : 8).fill(name.charCodeAt(0)).buffer;
};
const disk = new LiveDisk.Disk({bytes: 20, piece_bytes: 8, pieces: names}, piece);
const read = (start, length) => new Promise((resolve, reject) => {
    disk.onerror = reject;
    disk.get(start, length, bytes => resolve(new TextDecoder().decode(bytes)));
});
"""


def told(script: str) -> dict:
    """The object that a script prints."""
    answer = subprocess.run(
        [node.node(), "--input-type=module", "-e", script], text=True, capture_output=True, cwd=node.TAB
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_a_request_is_one_line_and_its_answers_come_as_they_are_said():
    seen = told(
        MACHINE
        + """
        const lines = [];
        const asked = {module: "labs", arguments: ["live", "x"], stdin: "caf\\u00e9\\n"};
        const run = ended(machine.request(asked, line => lines.push(line)));
        await says(1, '{"out":"caf\\u00e9"}\\n{"err":"<b>"}\\n{"ou');
        const early = lines.length;
        await says(1, 't":"last"}\\n{"status":3}\\n');
        console.log(JSON.stringify({sent, lines, early, run: await run}));
    """
    )
    [[line, words]] = seen["sent"]
    assert line == 1 and words.endswith("\n") and words.count("\n") == 1
    asked = {"module": "labs", "arguments": ["live", "x"], "variables": {}, "stdin": "café\n"}
    assert json.loads(words) == asked
    assert seen["lines"] == [{"out": "café", "at_ms": 7}, {"err": "<b>", "at_ms": 7}, {"out": "last", "at_ms": 7}]
    assert seen["early"] == 2 and seen["run"] == {"value": {"status": 3}}


def test_an_emulator_that_never_ends_is_left_alone():
    seen = told(
        MACHINE
        + "emulator.destroy = () => new Promise(() => {}); console.log(JSON.stringify(await ended(machine.end())));"
    )
    assert seen == {}


def test_another_request_ends_the_one_before_it():
    seen = told(
        MACHINE
        + """
        const first = ended(machine.request({module: "a"}, () => {})), second = ended(machine.request({module: "b"}));
        await says(1, '{"status":0}\\n');
        console.log(JSON.stringify({first: await first, second: await second}));
    """
    )
    assert "another request" in seen["first"]["error"] and seen["first"]["known"]
    assert seen["second"] == {"value": {"status": 0}}


def test_one_that_does_not_end_in_time_is_an_error():
    seen = told(MACHINE + "console.log(JSON.stringify(await ended(machine.request({module: 'a'}, () => {}, 20))));")
    assert seen == {"error": "expected a to end, and it did not in time", "known": True}


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_guest_that_failed_says_so_with_its_last_words(when):
    failed = "await says(0, 'one\\r\\nlab: failed no disk\\r\\n');"
    asks = "const run = ended(machine.request({module: 'a'}));"
    steps = failed + asks if when == "before" else asks + failed
    seen = told(MACHINE + steps + "console.log(JSON.stringify(await run));")
    assert seen["error"].startswith("lab: failed no disk.\nThe console's last lines:\n  one\n") and seen["known"]


def test_a_terminal_gets_the_consoles_bytes_and_its_request_ends_it():
    seen = told(
        MACHINE
        + """
        const portions = [];
        await says(0, "lab: ready 6.1\\r\\n");
        const take = bytes => portions.push(new TextDecoder().decode(bytes));
        const shell = machine.terminal({module: "labs", arguments: ["live", "x"]}, {columns: 41, rows: 20}, take);
        shell.type("caf\\u00e9\\r");
        await says(0, "\\x1b[6nmininet> <b>");
        await says(1, '{"out":"{}"}\\n{"status":0}\\n');
        console.log(JSON.stringify({sent, portions, ready: await machine.ready.promise, ended: await shell.ended}));
    """
    )
    [[asked_on, asked], typed] = seen["sent"]
    assert asked_on == 1 and json.loads(json.loads(asked)["stdin"]) == {"terminal": [41, 20]}
    assert typed == [0, "café\r"] and seen["portions"] == ["\x1b[6nmininet> <b>"]
    assert seen["ready"] == "6.1" and seen["ended"] == {"status": 0}


def test_no_value_of_the_clock_is_given_twice():
    seen = told("""
        import "./live.js";
        const steps = [1, 1, 1, 1.2, 1.2, 30], clock = globalThis.LiveRun.neverTwice(() => steps.shift());
        console.log(JSON.stringify([...steps].map(() => clock())));
    """)
    assert seen == sorted(set(seen)) and seen[-1] == 30


# An emulator that has done so many instructions, and whose waiting is noted.
COUNTED = """
import "./live.js";
class Emulated { yield(ms) { waited.push(ms); } }
Emulated.microtick = () => 0;
const waited = [], emulator = {done: 0, get_instruction_counter: () => emulator.done >>> 0, v86: new Emulated()};
const machine = {emulator, works: true, drives: [{waiting: 0}]}, time = new LiveRun.CountedTime(100);
const rounded = ms => Math.round(ms * 1e3) / 1e3;
"""


def test_counted_time_passes_by_instructions_and_not_by_our_clock():
    seen = told(
        COUNTED
        + """
        const at = [time.now(emulator)];
        await new Promise(resolve => setTimeout(resolve, 30));
        at.push(time.now(emulator));
        emulator.done = 2 ** 32 - 1e6;
        time.now(emulator);
        emulator.done = 4e6;  // its counter has 32 bits
        const before = time.ms;
        at.push(time.now(emulator) - before);
        const none = new LiveRun.CountedTime(5).now(null) > 5;
        console.log(JSON.stringify({at: at.map(rounded), grows: at[1] > at[0], none}));
    """
    )
    assert seen == {"at": [100, 100, 10], "grows": True, "none": True}  # 5 million of 2 ns


def test_idle_time_is_skipped_but_not_while_the_disk_is_read_or_nobody_asks():
    seen = told(
        COUNTED
        + """
        time.attach(machine);
        const {v86} = emulator, ms = [];
        const idles = (works, waiting) => {
            [machine.works, machine.drives[0].waiting] = [works, waiting];
            const before = time.ms;
            v86.yield(250, 1);
            ms.push(rounded(time.ms - before));
        };
        idles(true, 0), idles(true, 1), idles(false, 0);
        const [counted] = [rounded(Emulated.microtick() - time.ms)];
        time.over();
        console.log(JSON.stringify({ms, waited, counted, after: Emulated.microtick(), idle: time.idle_ms}));
    """
    )
    assert seen == {"ms": [250, 0, 0], "waited": [0, 250, 250], "counted": 0, "after": 0, "idle": 250}


def test_a_guest_works_while_it_boots_and_while_it_is_asked():
    seen = told(
        MACHINE
        + """
        const boots = new LiveRun.Machine(emulator, () => 7, {boots: true}), works = [boots.works, machine.works];
        await says(0, "lab: ready 6.1\\n");
        works.push(boots.works);
        const run = boots.request({module: "a"});
        works.push(boots.works);
        await says(1, '{"status":0}\\n');
        await run;
        console.log(JSON.stringify([...works, boots.works]));
    """
    )
    assert seen == [True, False, False, True, False]


CHECK = """
import "./live.js";
import "./protocol.js";
const said = [], asked = [], held = {module: "labs", arguments: ["live", "x"]};
const machine = {request: async (request, onLine, deadline_ms) => {
    asked.push({...request, deadline_ms});
    for (const line of LINES) onLine(line);
    return {status: 0};
}};
const answer = {exercise: "x/1", answer: "on client true"}, why = error => ({error: error.message});
const verdict = await LiveProtocol.check(machine, held, answer, one => said.push(one)).catch(why);
console.log(JSON.stringify({said, asked, verdict}));
"""


def test_an_answer_is_judged_on_what_is_held_and_with_a_seed_of_its_own():
    said = ({"kind": "step", "words": "…"}, {"kind": "verdict", "verdict": {"a": 1}}, {"kind": "over"})
    lines = [{"out": json.dumps(one)} for one in said]
    seen = [told(CHECK.replace("LINES", json.dumps(lines))) for _ in range(2)]
    assert [one["verdict"] for one in seen] == [{"a": 1}] * 2 and len(seen[0]["said"]) == 3
    asked = [one["asked"][0] for one in seen]
    assert asked[0]["arguments"] == ["live", "x"] and asked[0]["deadline_ms"] >= 60_000
    words = [json.loads(each["stdin"]) for each in asked]
    assert words[0]["check"] == "x/1" and words[0]["answer"] == "on client true"
    assert words[0]["seed"] != words[1]["seed"]


def test_a_guest_without_a_verdict_is_an_error_with_its_last_words():
    seen = told(CHECK.replace("LINES", json.dumps([{"err": "no memory"}])))
    assert seen["verdict"] == {"error": "the guest could not (status 0): no memory"}
    seen = told(CHECK.replace("LINES", json.dumps([{"out": '{"kind": "over"}'}])))
    assert seen["verdict"] == {"error": "expected a verdict"}


RUN = [
    {"kind": "begins", "clock_ms": 1000, "heard_ms": 5000},
    {"kind": "exchange", "name": "A", "late_ms": 3, "heard_ms": 5100},
    {"kind": "exchange", "name": "B", "late_ms": 12, "heard_ms": 5400},
    {"kind": "ends", "clock_ms": 1400, "heard_ms": 5410},
]


def judged(said: list[dict]) -> dict:
    """What live.js says of whether the machine kept time."""
    return told(f'import "./live.js"; console.log(JSON.stringify(LiveRun.verdict({json.dumps(said)})));')


def test_a_run_counts_if_the_machine_kept_time():
    instruments = {"late_ms": 12, "guest_ms": 400, "host_ms": 410}
    assert judged(RUN) == {"measured": True, "instruments": instruments}


@pytest.mark.parametrize(
    "at, changed, said",
    [
        (2, {"late_ms": 51}, "the guest's heart beat 51 ms late"),
        (3, {"heard_ms": 5451}, "400 ms by the guest's clock and 451 ms by this machine's"),
        (3, {"heard_ms": 5349}, "and 349 ms by this machine's"),
    ],
)
def test_a_run_does_not_count_if_it_did_not(at, changed, said):
    found = judged([one | (changed if number == at else {}) for number, one in enumerate(RUN)])
    assert found["measured"] is False and said in found["reason"]


def test_a_disk_is_read_across_its_pieces_and_each_is_fetched_once():
    seen = told(
        DISK + "console.log(JSON.stringify({read: [await read(6, 4), await read(7, 13), await read(0, 8)], asked}));"
    )
    assert seen == {"read": ["aabb", "a" + "b" * 8 + "cccc", "a" * 8], "asked": ["a", "b", "c"]}


def test_a_piece_that_did_not_come_is_an_error_and_may_be_asked_for_again():
    seen = told(
        DISK
        + """
        lost = 1;
        const why = await read(0, 4).catch(error => error.message);
        console.log(JSON.stringify({why, again: await read(0, 4), asked}));
    """
    )
    assert seen == {"why": "a could not be loaded", "again": "aaaa", "asked": ["a", "a"]}


def test_a_guest_that_writes_on_its_disk_is_told_of_and_throws_in_no_emulator():
    seen = told(
        DISK + "disk.onerror = error => console.log(JSON.stringify(error.message)); disk.set(0, new Uint8Array(4));"
    )
    assert seen == "expected a guest to leave its disk as it is"


def test_a_machine_that_has_ended_is_woken_by_no_piece_and_kept_by_no_deadline():
    """Its timer would keep its memory, 256 MB, for as long as it had; v86 throws where a device wakes it then."""
    seen = told(
        MACHINE
        + """
        let come, woken = false;
        class V86 {
            constructor(options) { this.options = options; }
            add_listener() {}
            serial_send_bytes() {}
            destroy() {}
        }
        const piece = () => new Promise(resolve => { come = () => resolve(new ArrayBuffer(8)); });
        const disks = {hda: {bytes: 8, piece_bytes: 8, pieces: ["abc"]}};
        const one = LiveRun.started({V86, wasm: null, options: {}, disks, piece});
        const run = ended(one.request({module: "a"}));
        one.emulator.options.hda.get(0, 8, () => { woken = true; });
        one.end();
        come();
        await tick();
        console.log(JSON.stringify({woken, run: await run}));
    """
    )
    assert seen == {"woken": False, "run": {"error": "the machine was ended", "known": True}}


def test_a_piece_that_does_not_come_breaks_the_machine():
    seen = told(
        MACHINE
        + """
        class V86 {
            constructor(options) { this.options = options; }
            add_listener() {}
            serial_send_bytes() {}
        }
        const piece = async name => { throw new Error(`${name} could not be loaded`); };
        const disks = {hda: {bytes: 8, piece_bytes: 8, pieces: ["abc"]}};
        const broken = LiveRun.started({V86, wasm: null, options: {}, disks, piece});
        const run = ended(broken.request({module: "a"}));
        broken.emulator.options.hda.get(0, 8, () => {});
        console.log(JSON.stringify(await run));
    """
    )
    assert seen["error"].startswith("abc could not be loaded.") and seen["known"]


NOTEBOOK = (
    MACHINE.replace('import "./live.js";', 'import "./live.js";\nimport "./protocol.js";')
    + """
const steps = [];
const does = name => async () => void steps.push(name);
Object.assign(emulator, {run: does("run"), stop: does("stop"), destroy: () => {}});
const held = {module: "labs", arguments: ["cells", "x"]}, notebook = LiveProtocol.notebook(machine, held);
const out = async line => says(1, `${JSON.stringify({out: JSON.stringify(line)})}\\n`);
const given = () => sent.map(([line, words]) => JSON.parse(words));
await out({kind: "ready"});
"""
)


def test_a_notebooks_cells_are_given_to_one_process_and_the_machine_stands_still_between_them():
    seen = told(
        NOTEBOOK
        + """
        const said = [];
        const ran = notebook.run("1 + 1", one => said.push(one));
        await tick();
        await out({kind: "result", text: "2"});
        await says(1, '{"err":"past"}\\n');
        await out({kind: "done", failed: true});
        const done = await ran;
        await tick();
        const again = notebook.run("2", () => {});
        await tick();
        await out({kind: "done"});
        await again;
        await tick();
        console.log(JSON.stringify({said, done, steps, given: given()}));
        machine.end();  // or its deadline, of weeks, would keep Node
    """
    )
    begun, cell, _ = seen["given"]
    assert begun["open"] is True and [*json.loads(begun["stdin"])] == ["seed"] and begun["stdin"].endswith("\n")
    assert cell == {"stdin": '{"source":"1 + 1"}\n'}
    assert seen["said"] == [{"kind": "result", "text": "2"}, {"kind": "text", "text": "past\n", "complaint": True}]
    assert seen["done"] == {"kind": "done", "failed": True} and seen["steps"] == ["run", "stop", "run", "stop"]


@pytest.mark.parametrize("when", ["in a cell", "between cells"])
def test_a_notebook_whose_process_has_ended_says_so(when):
    begins = "const ran = ended(notebook.run('exit', () => {})); await tick();"
    ends = """await says(1, '{"err":"Killed"}\\n{"status":-9}\\n');"""
    steps = begins + ends if when == "in a cell" else ends + begins
    seen = told(NOTEBOOK + steps + "console.log(JSON.stringify(await ran));")
    assert seen == {"error": "the guest's Python has ended (status -9): Killed", "known": True}


@pytest.mark.parametrize("line", ['{"out":"<b>"}', "no object", "null"])
def test_what_is_no_answer_ends_the_notebook(line):
    steps = "const ran = ended(notebook.run('x', () => {})); await tick();"
    seen = told(
        NOTEBOOK
        + steps
        + f"await says(1, {json.dumps(line)} + '\\n'); console.log(JSON.stringify(await ran)); machine.end();"
    )
    assert "JSON" in seen["error"] or "what is no answer" in seen["error"]


def test_for_another_state_another_request_is_held():
    seen = told(
        MACHINE
        + """
        const holds = ended(machine.hold({module: "labs", arguments: ["cells", "x"]}, 1000));
        const works = machine.works;
        await says(1, '{"status":0}\\n');
        console.log(JSON.stringify({sent, works, holds: await holds, rests: !machine.works}));
    """
    )
    assert json.loads(seen["sent"][0][1]) == {"hold": {"module": "labs", "arguments": ["cells", "x"]}}
    assert seen["works"] and seen["rests"] and seen["holds"] == {"value": {"status": 0}}
