import type * as fs from 'node:fs';
import type * as promises from 'node:fs/promises';
import { basename } from 'node:path';

/** Calls of the file system that fail on Windows while another program has the file open. */
const CALLS = [
  'appendFile',
  'chmod',
  'lstat',
  'mkdir',
  'open',
  'readFile',
  'readdir',
  'rename',
  'rm',
  'stat',
  'writeFile',
] as const;

/** One call: its name without `Sync`, and the path of the file. */
export interface FileCall {
  readonly call: (typeof CALLS)[number];
  readonly path: string;
}

/** Which calls fail, and how. */
export interface FileFault {
  readonly systemCode: string;
  /** `number` counts the calls from 1. */
  matches(call: FileCall, number: number): boolean;
}

type Callable = (...args: unknown[]) => unknown;

/**
 * Faults of the file system inside one folder. A test mocks `node:fs`, `node:fs/promises` and `src-main/node/wait.ts`
 * with its parts: waiting for a held file takes no time then, and is added up.
 */
export function createFileFaults() {
  let folder: string | null = null;
  let fault: FileFault | null = null;
  let calls: FileCall[] = [];
  let waitedMs = 0;

  const meet = (call: FileCall['call'], path: unknown): void => {
    if (folder === null || typeof path !== 'string' || !path.startsWith(folder)) return;
    const met = { call, path };
    calls.push(met);
    if (fault?.matches(met, calls.length) !== true) return;
    const { systemCode: code } = fault;
    throw Object.assign(new Error(`${code}: simulated, ${call} '${basename(path)}'`), { code });
  };
  const wrap = <Module extends object>(module: Module, ending: string, isAsync: boolean): Module => {
    const wrapped = CALLS.map((call) => {
      const name = `${call}${ending}`;
      const real = module[name as keyof Module] as Callable;
      const withFaults: Callable = (...args) => {
        meet(call, args[0]);
        return real(...args);
      };
      const later: Callable = (...args) => Promise.resolve().then(() => withFaults(...args));
      return [name, isAsync ? later : withFaults];
    });
    return { ...module, ...(Object.fromEntries(wrapped) as object) };
  };

  return {
    /** In place of `node:fs`. */
    wrapSync: (module: typeof fs) => wrap(module, 'Sync', false),
    /** In place of `node:fs/promises`. */
    wrapAsync: (module: typeof promises) => wrap(module, '', true),
    /** In place of `src-main/node/wait.ts`. */
    wait: {
      wait: (ms: number): Promise<void> => {
        waitedMs += ms;
        return Promise.resolve();
      },
      waitSync: (ms: number): void => {
        waitedMs += ms;
      },
    },
    /** From now on the calls inside a folder are counted, and those that match fail. */
    begin(inFolder: string, next: FileFault | null = null): void {
      folder = inFolder;
      fault = next;
      calls = [];
      waitedMs = 0;
    },
    /** Nothing fails any more; returns what was met. */
    end(): { readonly calls: readonly FileCall[]; readonly waitedMs: number } {
      folder = null;
      fault = null;
      return { calls, waitedMs };
    },
  };
}
