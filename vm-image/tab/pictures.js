// What does a reader see of a run? Its two connections as ladders, drawn while it runs and whole when it is over, and
// its stacks. A classic script, for a page; needs protocol.js, ladder.js and stacks.js once it is called.
//
//   const pictures = new LivePictures.Pictures({place, stacks, say});    stacks: the chapter's
//   pictures.begins();
//   pictures.goesOn(lines);     drawn and said with the page's next frame
//   pictures.over(run);         null if it came to nothing
"use strict";
globalThis.LivePictures = (() => {
    // By who had an answer last.
    const NEXT = {A: "A has its answer, and B writes …", B: "B has its answer, and writes again …",
                  "B-again": "All have their answers …"};
    const SAME = "Connection A of the same run";

    // What happens now, for who cannot see it or looks later. That the hosts are up is known from the small questions
    // that a run begins with: each goes from the client over the balancer to the server, and back.
    function phase({awake, exchanges, packets}) {
        if (!awake) return "The kernel wakes …";
        const last = exchanges.at(-1);
        if (!last) return "The kernel is awake; a small question goes around to its three hosts …";
        if (last.waited_ms !== null) return NEXT[last.name];
        return packets.some(one => one.at_ms >= last.at_ms && LiveLadder.isToSelf(one))
            ? `${last.name} was told by its own host that this is too long, and waits …` : `${last.name} waits …`;
    }

    class Pictures {
        constructor({place, stacks, say}) {
            Object.assign(this, {place, stacks, say, document: place.ownerDocument, lines: null, frame: null, shown: null});
        }

        // What an earlier run has left stays until this one has something to show, and its room for as long as it runs.
        begins() {
            this.place.style.minHeight = `${this.place.offsetHeight}px`;
            this.shown = null;
            this.show([]);
        }

        // Lines come in bursts. None is read while the guest says them, for that holds it up.
        goesOn(lines) {
            this.lines = lines;
            this.frame ??= requestAnimationFrame(() => {
                this.frame = null;
                this.show(this.lines);
            });
        }

        show(lines) {
            let soFar;
            try {
                soFar = LiveProtocol.soFar(lines);
            } catch (error) {
                if (error instanceof LiveProtocol.RunError) return;  // the run ends with it, in words
                throw error;
            }
            const now = phase(soFar), news = [now, soFar.packets.length].join();
            if (news === this.shown) return;
            this.shown = news;
            this.say(now);
            if (soFar.exchanges.length) this.connections(soFar);
        }

        over(run) {
            cancelAnimationFrame(this.frame);
            this.frame = null;
            this.place.style.minHeight = "";
            if (!run) return this.place.replaceChildren();
            this.connections(run);
            if (run.stacks) this.place.append(...this.compared(run));
        }

        // B, whom it is about, and A for who wants to compare.
        connections(run) {
            const [b, a] = ["B", "A"].map(name => this.element(LiveLadder.tree(run, name)));
            const opened = this.place.querySelector(".wpw-live-a")?.open ?? true;
            const same = this.make("details", {class: "wpw-live-a"}, this.make("summary", {}, SAME), a);
            same.open = opened;
            this.place.replaceChildren(b, same);
        }

        // The stacks that the report expects beside the run's.
        compared(run) {
            const found = LiveStacks.trees(run, this.stacks).map(({story, ok, tree}) => {
                const {title} = this.stacks.find(each => each.story === story);
                return this.make("details", {"data-story": story},
                    this.make("summary", {}, `${title}: ${ok ? "as expected" : "not as expected"}`), this.element(tree));
            });
            return [this.make("p", {}, "The chapter's stacks beside those of this run. Its kernel is built for 32 bits; "
                + "where that makes a difference, the row says so."), ...found];
        }

        make(tag, attributes, ...children) {
            const element = this.document.createElement(tag);
            for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
            element.append(...children);
            return element;
        }

        element(tree) {
            return LiveLadder.element(tree, this.document);
        }
    }

    return {Pictures, phase};
})();
