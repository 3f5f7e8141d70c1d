// SPDX-License-Identifier: MIT
export type Bytes = ArrayBuffer | ArrayBufferView;

export interface Run {
  /** What the program finds in its folder: names to contents. */
  files?: Record<string, Bytes | string>;
  /** Arguments of the command line. */
  args: string[];
  /** Called with each line of standard error. */
  onMessage?: (line: string) => void;
  /** The page that `preview` writes its data into. */
  viewer?: string;
}

export interface Finished {
  /** What the program wrote: files that are new or have other bytes. */
  files: Record<string, Uint8Array>;
  /** What it wrote to the file named by `--report`. */
  report: unknown | null;
  /** The exit code of the command line. */
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Compiles the WebAssembly module, once; its bytes are loaded from beside the package's file. */
export function prepare(wasm?: Bytes | WebAssembly.Module): Promise<WebAssembly.Module>;

/** Runs one command of the program. */
export default function clipmill(run: Run): Promise<Finished>;
