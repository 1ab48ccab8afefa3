// What does the guest say of a case that happens on a page, and what becomes of it? `labs live` prints the lines, see
// labs/live.py. A classic script; needs live.js once it is called.
//
//   const outcome = await LiveProtocol.run(machine, held, {told: false}, said => …);
//   const words = LiveProtocol.words(said);     what happens now, for who cannot see it; undefined if nothing new does
//
//   const notebook = LiveProtocol.notebook(machine, held);
//   const {failed} = await notebook.run("net = case.Network()", said => …);     see labs/cells.py
//
// `said` are the guest's objects as they come. The one that `ends` carries what was measured, too: {waited_ms: {A: 2.1, …},
// measured, reason, instruments}, see LiveRun.verdict. What comes behind it is drawn, which takes longer.
"use strict";
globalThis.LiveProtocol = (() => {
    const CHECK_MS = 600000;  // a page may be slow: what the answer itself may take is counted in the guest
    const WORDS = {
        ready: () => "The kernel is awake; its hosts are connected …",
        asks: ({name}) => `${name} waits …`,
        exchange: ({name}) => `${name} has its answer …`,
        ends: () => "All have their answers; the guest draws what it has captured …",
    };

    const words = said => WORDS[said.kind]?.(said);

    // What the guest is to draw by: what it would draw by itself was saved with it.
    const drawn = () => [...crypto.getRandomValues(new Uint8Array(16))].join();

    const waited = said => Object.fromEntries(said.filter(({kind}) => kind === "exchange").map(one => [one.name, one.waited_ms]));

    // What `over` gives once the guest has done what it was asked for; an error of `onSaid` ends it, too.
    function done(machine, held, asked, onSaid, over, deadline_ms) {
        const complaints = [];
        return new Promise((resolve, reject) => {
            const line = ({out, err, at_ms}) => {
                if (out === undefined) return complaints.push(err);
                try {
                    const one = {...JSON.parse(out), heard_ms: at_ms};
                    onSaid(one);
                    if (one.kind === "over") resolve(over());  // what is left is to clear away
                } catch (error) {
                    reject(error);
                }
            };
            machine.request({...held, stdin: `${JSON.stringify(asked)}\n`}, line, deadline_ms).then(({status}) => reject(
                new LiveRun.RunError(`the guest could not (status ${status}): ${complaints.at(-1) ?? "it gave no reason"}`)), reject);
        });
    }

    // The outcome of a run.
    function run(machine, held, asked, onSaid) {
        const {RunError, verdict} = LiveRun, said = [];
        return done(machine, held, asked, one => {
            said.push(one);
            if (one.kind === "ends") Object.assign(one, {waited_ms: waited(said)}, verdict(said));
            onSaid(one);
        }, () => {
            const [outcome] = said.filter(({kind}) => kind === "outcome");
            if (!outcome) throw new RunError("expected a run with its outcome");
            const {kind, heard_ms, ...known} = outcome;
            return known;
        });
    }

    // The verdict on an answer to an exercise, by the lab's judge, in a machine whose time is counted.
    function check(machine, held, {exercise, answer}, onSaid) {
        let verdict;
        return done(machine, held, {check: exercise, answer, seed: drawn()}, one => {
            if (one.kind === "verdict") ({verdict} = one);
            onSaid(one);
        }, () => {
            if (!verdict) throw new LiveRun.RunError("expected a verdict");
            return verdict;
        }, CHECK_MS);
    }

    // A process in which cells run, one at a time, in a machine whose time is counted. Once it has ended, whoever asks is
    // told so.
    function notebook(machine, held) {
        let waits = null, hears = () => {}, complaint = "it gave no reason", over = null;
        const next = () => new Promise((resolve, reject) => {
            if (over) return reject(over);
            waits = {resolve, reject};
        });
        const ends = error => {
            over = error;
            waits?.reject(error);
        };
        const line = ({out, err}) => {
            try {
                if (out === undefined) return hears({kind: "text", text: `${complaint = err}\n`, complaint: true});
                const one = JSON.parse(out);
                if (one.kind === "ready") return;
                if (one.kind !== "done") return hears(one);
                session.rests();
                waits?.resolve(one);
            } catch (error) {
                ends(error);
            }
        };
        const session = machine.session(held, {seed: drawn()}, line);
        session.ended.then(({status}) => ends(new LiveRun.RunError(`the guest's Python has ended (status ${status}): ${complaint}`)), ends);
        return {run(source, onSaid) {
            hears = onSaid;
            const done = next();
            if (!over) session.give({source}).catch(ends);
            return done;
        }};
    }

    return {run, check, notebook, words};
})();
