// What does a reader see of a run? The pictures that its guest has drawn, as they come: the first, whom the case is about,
// in full, and each further one to be folded. A classic script; needs tree.js once it is called, and make() of the page's
// elements.js.
//
//   const pictures = new LivePictures.Pictures(place);
//   pictures.begins();
//   pictures.draw({name, tree});
//   pictures.over();
"use strict";
globalThis.LivePictures = (() => {
    const title = ([, , ...parts]) => parts.find(([tag]) => tag === "figcaption")[2];

    class Pictures {
        constructor(place) {
            Object.assign(this, {place, drawn: 0});
        }

        // What an earlier run has left stays until this one has something to show, and its room for as long as it runs.
        begins() {
            this.place.style.minHeight = `${this.place.offsetHeight}px`;
            this.drawn = 0;
        }

        draw({name, tree}) {
            const picture = LiveTree.element(tree, document);
            if (!this.drawn++) {
                this.folded = new Map([...this.place.querySelectorAll("details[data-picture]")].map(each => [each.dataset.picture, !each.open]));
                return this.place.replaceChildren(picture);
            }
            const details = make("details", {"data-picture": name}, make("summary", {}, title(tree)), picture);
            details.open = !(this.folded.get(name) ?? name.startsWith("stack-"));
            this.place.append(details);
        }

        over() {
            this.place.style.minHeight = "";
            if (!this.drawn) this.place.replaceChildren();
        }
    }

    return {Pictures};
})();
