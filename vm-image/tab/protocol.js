// What does the guest say of a case that happens on a page, and what becomes of it? `labs live` prints the lines, see
// labs/live.py. A classic script; needs live.js once it is called.
//
//   const outcome = await LiveProtocol.run(machine, held, {told: false}, said => …);
//   const words = LiveProtocol.words(said);     what happens now, for who cannot see it; undefined if nothing new does
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

    const waited = said => Object.fromEntries(said.filter(({kind}) => kind === "exchange").map(one => [one.name, one.waited_ms]));

    // The outcome, once the run is over; an error of `onSaid` ends it, too.
    function run(machine, held, asked, onSaid) {
        const {RunError, verdict} = LiveRun, said = [], complaints = [];
        return new Promise((resolve, reject) => {
            const heard = one => {
                said.push(one);
                if (one.kind === "ends") Object.assign(one, {waited_ms: waited(said)}, verdict(said));
                onSaid(one);
                if (one.kind !== "over") return;
                const [outcome] = said.filter(({kind}) => kind === "outcome");
                if (!outcome) throw new RunError("expected a run with its outcome");
                const {kind, heard_ms, ...known} = outcome;
                resolve(known);
            };
            const line = ({out, err, at_ms}) => {
                if (out === undefined) return complaints.push(err);
                try {
                    heard({...JSON.parse(out), heard_ms: at_ms});
                } catch (error) {
                    reject(error);
                }
            };
            machine.request({...held, stdin: `${JSON.stringify(asked)}\n`}, line).then(({status}) =>
                reject(new RunError(`the guest could not (status ${status}): ${complaints.at(-1) ?? "it gave no reason"}`)), reject);
        });
    }

    // The verdict on an answer to an exercise, by the lab's judge, in a machine whose time is counted. As `run` for the rest.
    async function check(machine, held, {exercise, answer}, onSaid) {
        const {RunError} = LiveRun;
        let verdict;
        const seed = [...crypto.getRandomValues(new Uint8Array(16))].join();
        const complaints = [], line = ({out, err}) => {
            if (out === undefined) return complaints.push(err);
            const said = JSON.parse(out);
            if (said.kind === "verdict") ({verdict} = said);
            onSaid(said);
        };
        const {status} = await machine.request({...held, stdin: `${JSON.stringify({check: exercise, answer, seed})}\n`}, line, CHECK_MS);
        if (!verdict) throw new RunError(`the guest could not judge it (status ${status}): ${complaints.at(-1) ?? "it gave no reason"}`);
        return verdict;
    }

    return {run, check, words};
})();
