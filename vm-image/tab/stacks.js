// Does the kernel in the tab do what the chapter's stacks say? Each told frame beside the live one, as labs/trace/stacks.py
// compares them and core/draw/stacks_view.py shows them; their style sheet is on the page with each recorded stack. A
// classic script, which needs drawing.js once it is called.
//
//   for (const {story, tree} of LiveStacks.trees(run, recorded)) page.append(LiveLadder.element(tree, document));
//
// `run` was traced; `recorded` is `trace.stacks` of the chapter's recording. Its kernel has 64 bits, the tab's 32:
// where that alone makes a difference, the row says so.
"use strict";
globalThis.LiveStacks = (() => {
    // Which of the run's events a story is about: the first within the exchange, entering the function. `under` is on
    // its stack; so is `from`, the frame from which on it is compared.
    const ABOUT = {
        "1-icmp-to-itself": {exchange: "B", entered: "__icmp_send", under: "ip_fragment"},
        "2-comes-back-inside": {exchange: "B", entered: "tcp_v4_err"},
        "3-deferred": {exchange: "B", entered: "tcp_simple_retransmit", from: "tcp_v4_mtu_reduced"},
        "4-at-once": {exchange: "A", entered: "tcp_simple_retransmit", from: "tcp_v4_mtu_reduced"},
        "6-probe-timer": {exchange: "B", entered: "tcp_write_wakeup", from: "tcp_write_wakeup"},
    };
    const SYSENTER = "its name on 32 bits, where a program enters the kernel by SYSENTER";
    const TIMER = "this machine's timer interrupts in the way of any device";
    const ON_32_BITS = {
        __x64_sys_writev: ["__ia32_sys_writev", SYSENTER], do_syscall_64: ["do_SYSENTER_32", SYSENTER],
        entry_SYSCALL_64_after_hwframe: ["entry_SYSENTER_32", SYSENTER],
        sysvec_apic_timer_interrupt: ["common_interrupt", TIMER],
        asm_sysvec_apic_timer_interrupt: ["asm_common_interrupt", TIMER],
        secondary_startup_64_no_verify: ["startup_32_smp", "its name on 32 bits"],
    };
    const WAY_IN = "on the way in by SYSENTER";
    const OWN_STACK = "on 32 bits a call changes to the softirqs' own stack";
    const MORE_ON_32_BITS = {ia32_sys_call: WAY_IN, __do_fast_syscall_32: WAY_IN, do_fast_syscall_32: WAY_IN,
                             call_on_stack: OWN_STACK, do_softirq_own_stack: OWN_STACK};
    const INLINED = ["__run_timers", "tcp_probe_timer"];  // not in /proc/kallsyms of 6.1.0-50-686
    // What an interrupt interrupts may be anything.
    const CHANCE = ["sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt", "do_idle", "cpu_startup_entry",
                    "secondary_startup_64_no_verify"];
    const MARKS = {
        seen: ["\u2713", "wpw-seen"], renamed: ["\u2192", "wpw-renamed"], folded: ["\u2248", "wpw-folded"],
        "by chance": ["?", "wpw-chance"], missing: ["\u00d7", "wpw-missing"], "also there": ["+", "wpw-extra"],
    };
    const CLONE = /(\.(constprop|isra|part|cold|llvm)(\.\d+)?|\.\d+)+$/;
    const OFFSET = /\+0x[0-9a-f]+(\/0x[0-9a-f]+)?$|\+\d+$/;

    // The C function behind a traced frame: "ip_fragment.constprop.0" is ip_fragment's.
    const functionOf = frame => frame.replace(OFFSET, "").replace(CLONE, "");

    // Pairs [told, observed] of places in the two lists, null where one has nothing: a longest common subsequence.
    // `told` gives each frame's names.
    function aligned(told, observed) {
        const best = Array.from({length: told.length + 1}, () => Array(observed.length + 1).fill(0));
        for (let i = told.length - 1; i >= 0; i--)
            for (let j = observed.length - 1; j >= 0; j--)
                best[i][j] = told[i].includes(observed[j]) ? best[i + 1][j + 1] + 1
                    : Math.max(best[i + 1][j], best[i][j + 1]);
        const pairs = [];
        for (let i = 0, j = 0; i < told.length || j < observed.length;) {
            const both = i < told.length && j < observed.length && told[i].includes(observed[j]);
            const gone = j === observed.length || (i < told.length && best[i + 1][j] >= best[i][j + 1]);
            pairs.push(both ? [i++, j++] : gone ? [i++, null] : [null, j++]);
        }
        return pairs;
    }

    const recordedName = row => row.observed === null ? row.told : functionOf(row.observed);

    // A told frame that has its place on the live stack.
    function found(row, frame) {
        const name = functionOf(frame), other = ON_32_BITS[row.told];
        if (name === row.told)
            return {...row, state: "seen", observed: frame,
                    reason: row.state === "folded" ? "left no frame on the recorded stack" : null};
        return {...row, state: "renamed", observed: frame, reason: name === other?.[0] ? other[1] : row.reason};
    }

    // A told frame that has none.
    function absent(row, process) {
        const known = {...row, observed: null};
        if (row.state === "by chance" || CHANCE.includes(row.told))
            return {...known, state: "by chance", reason: "what is interrupted may be anything"};
        if (process.startsWith("ksoftirqd"))
            return {...known, state: "by chance", reason: `this time the softirq ran in ${process}`};
        if (INLINED.includes(row.told))
            return {...known, state: "folded", reason: "the tab's kernel has no such symbol: inlined"};
        if (row.state === "folded") return {...known, state: "folded", reason: "no frame on the recorded stack either"};
        return {...known, state: "missing", reason: "was on the recorded stack, and is not on this one"};
    }

    function compared(stack, process, rows, title) {
        const told = rows.filter(row => row.told !== null);
        const functions = stack.map(functionOf);
        const names = told.map(row => functions.includes(row.told) ? [row.told]
            : [recordedName(row), ON_32_BITS[row.told]?.[0]]);
        const shown = aligned(names, functions).map(([i, j]) => {
            if (i === null) return {state: "also there", told: null, observed: stack[j], note: null,
                                    reason: MORE_ON_32_BITS[functions[j]] ?? null};
            return j === null ? absent(told[i], process) : found(told[i], stack[j]);
        });
        const count = state => shown.filter(row => row.state === state).length;
        const said = state => `${count(state)} ${state === "folded" ? "inlined or tail call" : state}`;
        const states = Object.keys(MARKS).slice(0, -1).map(said).join(", ");
        const extra = count("also there") ? `; ${count("also there")} also there` : "";
        return {title, rows: shown, ok: !count("missing") && Boolean(count("seen") + count("renamed")),
                summary: `${told.length} frames expected: ${states}${extra}`};
    }

    const stackOf = event => [event.function, ...event.frames];

    // The stories of which the run has traced an event, each as a comparison.
    function comparisons(run, recorded) {
        return recorded.flatMap(({story, title, rows}) => {
            const about = ABOUT[story];
            const asked = about && run.exchanges.find(({name}) => name === about.exchange);
            const event = asked && run.stacks.find(one => one.function === about.entered
                && one.at_ms >= asked.at_ms && one.at_ms <= asked.at_ms + asked.waited_ms
                && [about.under, about.from].every(name => !name || stackOf(one).map(functionOf).includes(name)));
            if (!event) return [];
            const stack = stackOf(event), {from} = about;
            const cut = (list, nameOf) => from ? list.slice(list.findIndex(one => nameOf(one) === from)) : list;
            const part = from === event.function ? `, from ${from}() on` : "";
            return [{story, ...compared(cut(stack, functionOf), event.process, cut(rows, row => row.told),
                                        `${title}${part}: live, in this tab`)}];
        });
    }

    // A row's state as it is shown, see core/draw/stacks_view.py.
    const PROVEN = {"leaves no frame": "tail call", inlined: "inlined"};
    const word = (state, reason) => state === "folded"
        ? PROVEN[Object.keys(PROVEN).find(end => reason.endsWith(end))] ?? "no frame" : state;

    function row({state, told, observed, reason, note, source}) {
        const {h} = LiveDrawing, [mark, css] = MARKS[state];
        const code = name => h("code", {}, name), seen = observed === null ? "\u2013" : code(observed);
        // The row's header is the cell that names its function, wherever that is known from.
        const cells = told === null ? [h("td", {}), h("th", {scope: "row"}, seen)]
            : [h("th", {scope: "row"}, code(told)), h("td", {}, seen)];
        const remarks = [reason, note].filter(Boolean);
        return [
            h("tr", {class: `wpw-row wpw-frame ${css}`, ...(source ? {"data-file": source} : {})},
                h("td", {}, h("span", {class: "wpw-mark", "aria-hidden": true}, mark), word(state, reason)), cells),
            ...(remarks.length ? [h("tr", {class: `wpw-row wpw-why ${css}`}, h("td", {}),
                h("td", {colspan: 2}, remarks.map(remark => h("p", {}, remark))))] : []),
        ];
    }

    // The whole <figure>.
    function figure({title, ok, summary, rows}) {
        const {h} = LiveDrawing, heads = ["State", "The report", "The kernel"];
        const outcome = `${ok ? "As expected" : "Not as expected"}: ${summary}. Newest call first.`;
        return h("figure", {class: "wpw-stack"},
            h("figcaption", {}, title, h("small", {}, outcome)),
            h("div", {class: "wpw-scroll", role: "region", tabindex: 0, "aria-label": title},
                h("table", {class: "wpw-frames"}, h("caption", {}, title),
                    h("thead", {}, h("tr", {class: "wpw-row wpw-head"},
                        heads.map(name => h("th", {scope: "col"}, name)))),
                    h("tbody", {}, rows.flatMap(row)))));
    }

    const trees = (run, recorded) => comparisons(run, recorded)
        .map(comparison => ({story: comparison.story, ok: comparison.ok, tree: figure(comparison)}));

    return {trees, comparisons, figure, aligned};
})();
