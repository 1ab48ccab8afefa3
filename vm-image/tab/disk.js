// What is a disk of the emulator that is fetched as it is read? Pieces of one size, each asked for by its name when the
// guest first reads in it, and then kept. It is read-only: what a guest writes stays in its memory. A classic script,
// see live.js, which knows neither files nor a network: who calls brings `piece(name) -> Promise<ArrayBuffer>`.
//
//   hda: new LiveDisk.Disk({bytes, piece_bytes, pieces: ["0123456789abcdef", …]}, piece)
"use strict";
globalThis.LiveDisk = (() => {
    // As v86 wants one (its src/buffer.js): offsets and lengths in bytes, and no promise but a function to be called.
    class Disk {
        constructor({bytes, piece_bytes, pieces}, piece) {
            Object.assign(this, {byteLength: bytes, piece_bytes, pieces, piece, kept: new Map(), onload: null, closed: false, waiting: 0});
        }

        load() {
            this.onload?.({});
        }

        get(start, length, then) {
            const first = Math.floor(start / this.piece_bytes), last = Math.floor((start + length - 1) / this.piece_bytes);
            const all = [];
            this.waiting++;
            for (let number = first; number <= last; number++) all.push(this.fetched(number));
            Promise.all(all).finally(() => this.waiting--).then(found => {
                if (this.closed) return;
                const bytes = new Uint8Array(length);
                for (const [at, part] of found.entries()) {
                    const begin = (first + at) * this.piece_bytes, from = Math.max(start - begin, 0);
                    bytes.set(part.subarray(from, start + length - begin), begin + from - start);
                }
                then(bytes);
            }, error => this.onerror(error));
        }

        // A piece that is asked for twice is fetched once; one that did not come may be asked for again.
        fetched(number) {
            if (!this.kept.has(number)) {
                const asked = this.piece(this.pieces[number]).then(buffer => new Uint8Array(buffer));
                asked.catch(() => this.kept.delete(number));
                this.kept.set(number, asked);
            }
            return this.kept.get(number);
        }

        // For who is gone: an answer would wake an emulator that has ended.
        close() {
            this.closed = true;
        }

        get_and_cache(start, length, then) {
            this.get(start, length, then);
        }

        // Of what can be given at once: nothing.
        get_from_cache() {}

        get_buffer(then) {
            then();
        }

        set() {
            this.onerror(new Error("expected a guest to leave its disk as it is"));
        }

        // In a saved state there is nothing of it.
        get_state() {
            return [];
        }

        set_state() {}
    }

    return {Disk};
})();
