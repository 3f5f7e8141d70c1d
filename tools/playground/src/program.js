// SPDX-License-Identifier: MIT
// The program in a worker: one command after the other, and an end to the one at work.

// Bytes of a block of the page, which has them compressed and in base64.
export async function unpackedBytes(id) {
  const text = document.getElementById(id).textContent.trim();
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Program {
  constructor(module, worker_text) {
    this.module = module;
    this.url = URL.createObjectURL(new Blob([worker_text], { type: 'text/javascript' }));
    this.start();
  }

  start() {
    this.worker = new Worker(this.url);
    this.worker.postMessage({ module: this.module });
    this.waiting = new Map();
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.failAll(event.message);
  }

  hear({ id, message, finished, fault }) {
    const call = this.waiting.get(id);
    if (message !== undefined) {
      call.onMessage?.(message);
      return;
    }
    this.waiting.delete(id);
    if (finished) call.resolve(finished);
    else call.reject(new Error(fault));
  }

  failAll(text) {
    for (const call of this.waiting.values()) call.reject(new Error(text));
    this.waiting.clear();
  }

  /** The result of one command, as clipmill.mjs describes it. */
  run({ files = {}, args, viewer, onMessage }) {
    const id = (this.last_id = (this.last_id ?? 0) + 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onMessage });
      this.worker.postMessage({ id, files, args, viewer });
    });
  }

  /** Ends the command at work, which fails with `Cancelled`. */
  cancel() {
    this.worker.terminate();
    this.failAll('Cancelled');
    this.start();
  }
}
