import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledScript } from '../../support/programs/bundled-script.ts';

const WRITE_PAGES = bundledScript('write-pages');

export interface WriterEnd {
  /** The last page that it said was committed; null when it said none. */
  readonly acknowledged: number | null;
  /** Everything that it said. */
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
}

/**
 * Runs the writer as a process of its own until it ends, until `killAfterMs` after it has opened the file, or until it
 * says that `killAfterPages` are committed. `before` is a command to run it under; `script` another one to run.
 */
export async function runWriter(
  args: readonly (string | number)[],
  options: {
    killAfterMs?: number;
    killAfterPages?: number;
    before?: readonly string[];
    script?: URL;
  } = {},
): Promise<WriterEnd> {
  const { killAfterMs, killAfterPages = Infinity, before = [], script = WRITE_PAGES } = options;
  const [command = '', ...rest] = [...before, process.execPath, fileURLToPath(script), ...args.map(String)];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let text = '';
  let isTimed = false;
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString('latin1');
    // The first line says that the file is open.
    if (text.split('\n').length - 2 >= killAfterPages) child.kill('SIGKILL');
    if (killAfterMs === undefined || isTimed || !text.startsWith('open')) return;
    isTimed = true;
    setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
  const [code, signal] = await exited;
  // A line that a kill cut short was not said.
  const lines = text.split('\n').slice(0, -1);
  const last = lines.findLast((line) => /^\d+$/.test(line));
  return { acknowledged: last === undefined ? null : Number(last), lines, code, signal };
}
