/* How does a page get the files of a machine, and how does it know that they are the right ones? From a server, or from
   a folder on the disk, where it may load no file but scripts: see live_run.py. For live-run.js and live-exercise.js. */
"use strict";
globalThis.LivePage = (() => {

const fromFolder = location.protocol === "file:";
const STALLS_S = 60;  // without a byte
const TIMES_SAID = 10;  // while all is loaded

class LoadError extends Error {}

/* A script or a style sheet, by an element of the page's head. */
function added(tag, address, attributes) {
  return new Promise((resolve, reject) => {
    const element = make(tag, attributes);
    element.onload = resolve;
    element.onerror = () => reject(new LoadError(`${address} could not be loaded, or is not the file that was built.`));
    document.head.append(element);
  });
}

function script(address, attributes = {}) {
  return added("script", address, { src: address, ...attributes });
}

/* The browser itself compares a file's hash where it is told one: also of bytes that we have, and also on a page
   without https, where it lends no hash function. */
async function checked(name, blob, integrity) {
  const address = URL.createObjectURL(blob);
  try {
    return await (await fetch(address, { integrity })).arrayBuffer();
  } catch {
    throw new LoadError(`${name} is damaged, or not of this build: its hash is not the one that this page expects.`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/* As a browser is told the hash that a file is named by, in hexadecimal digits. */
function integrityOf(hash) {
  return `sha256-${btoa(String.fromCharCode(...hash.match(/../g).map(two => parseInt(two, 16))))}`;
}

class Files {
  constructor(live, onBytes) {
    Object.assign(this, { live, onBytes, pieces: new Map() });
  }

  bytes(name) {
    return this.read(this.live.folder, name, this.live.files[name].integrity);
  }

  /* Of a disk, by the hash of its bytes. All machines read the same, so one that is there is not loaded again. */
  piece(hash) {
    if (!this.pieces.has(hash)) {
      const asked = this.read(this.live.pieces, hash, integrityOf(hash));
      asked.catch(() => this.pieces.delete(hash));
      this.pieces.set(hash, asked);
    }
    return this.pieces.get(hash);
  }

  async read(folder, name, integrity) {
    return checked(name, await (fromFolder ? this.fromScript(folder, name) : this.fromServer(folder, name)), integrity);
  }

  async fromServer(folder, name) {
    const stalls = new AbortController(), parts = [];
    let timer, answer;
    const goesOn = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stalls.abort(), STALLS_S * 1000);
    };
    goesOn();
    try {
      answer = await fetch(`${folder}/${name}`, { signal: stalls.signal });
      const reader = answer.ok ? answer.body.getReader() : null;
      for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
        goesOn();
        parts.push(part.value);
        this.onBytes(part.value.length);
      }
    } catch {
      throw new LoadError(`${name} could not be loaded: ${stalls.signal.aborted ? `no byte came for ${STALLS_S} s` : "the connection failed"}.`);
    } finally {
      clearTimeout(timer);
    }
    if (!answer.ok) throw new LoadError(`${name} could not be loaded: the server said ${answer.status}.`);
    return new Blob(parts);
  }

  /* A letter for each byte: see in_script in live_run.py. An array of bytes keeps of a number the last eight bits. */
  async fromScript(folder, name) {
    await script(`${folder}/${name}.js`, { charset: "x-user-defined" });
    const text = globalThis.LiveFiles[name];
    delete globalThis.LiveFiles[name];
    this.onBytes(text.length);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
    return new Blob([bytes]);
  }

  async script(name) {
    await script(`${this.live.folder}/${name}`, this.hash(name));
    this.onBytes(this.live.files[name].bytes);
  }

  /* Browsers compare none of a folder's. */
  hash(name) {
    return fromFolder ? {} : { integrity: this.live.files[name].integrity };
  }

  /* xterm.js. */
  async terminal() {
    for (const name of this.live.terminal) {
      const address = `${this.live.folder}/${name}`;
      if (name.endsWith(".css")) await added("link", address, { rel: "stylesheet", href: address, ...this.hash(name) });
      else await this.script(name);
    }
  }

  /* In their order: each may need the one before it. */
  async driver() {
    for (const name of this.live.scripts) await this.script(name);
  }

  /* All that a machine is restored from; `settings` are those of the one whose memory was saved. */
  async all() {
    const [packed, state, disks] = await Promise.all([this.bytes("v86.wasm.gz"), this.bytes(this.live.state),
      this.bytes("disks.json"), this.script("libv86.js"), this.driver()]);
    const wasm = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    return { V86: globalThis.V86, wasm, state, settings: this.live.settings,
      disks: JSON.parse(new TextDecoder().decode(disks)), piece: hash => this.piece(hash) };
  }
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

/* In bytes, of what a machine needs, or a terminal besides. */
function total(live, terminal = false) {
  return Object.entries(live.files).filter(([name]) => live.terminal.includes(name) === terminal)
    .reduce((sum, [, file]) => sum + file.bytes, 0);
}

/* All that a machine is restored from; meanwhile it is said how much of it has come, TIMES_SAID times: it is read out to
   who does not see it. */
async function loaded(live, say) {
  let bytes = 0, waiting = true;
  const all = total(live), part = () => Math.floor(bytes / all * TIMES_SAID);
  const files = new Files(live, count => {
    const before = part();
    bytes += count;
    if (waiting && part() > before) say(`Loading: ${megabytes(bytes)} of ${megabytes(all)} MB`);
  });
  say(`Loading ${megabytes(all)} MB …`);
  try {
    return await files.all();
  } finally {
    waiting = false;  // where one file failed, the others may still come
  }
}

return { Files, loaded, megabytes, total };

})();
