// SPDX-License-Identifier: MIT
// Runs commands of clipmill outside of the page's thread. The first message has the compiled module;
// every other one is {id, files, args, viewer}. Messages back are {id, message} for each line of standard
// error, and {id, finished} or {id, fault} at the end.
import clipmill, { prepare } from '../../../bindings/wasm/package/clipmill.mjs';

async function perform({ id, files, args, viewer }) {
  try {
    const onMessage = (message) => postMessage({ id, message });
    postMessage({ id, finished: await clipmill({ files, args, viewer, onMessage }) });
  } catch (fault) {
    postMessage({ id, fault: String(fault?.message ?? fault) });
  }
}

onmessage = ({ data }) => (data.module ? prepare(data.module) : perform(data));
