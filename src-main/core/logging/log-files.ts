import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';

const LOG_FILE = /^channelscope-\d{4}-\d{2}-\d{2}\.log$/;
/** Lines between two pauses, in which others get their turn. */
const LINES_AT_ONCE = 500;

/** Returns the names of the logs in a folder, oldest first. */
export async function listLogs(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => LOG_FILE.test(name)).sort();
}

/** Changes every line of every log; a file in which nothing changes is left alone. Throws where one can't be replaced. */
export async function rewriteLogs(folder: string, change: (line: string) => string): Promise<void> {
  for (const name of await listLogs(folder)) {
    const path = join(folder, name);
    const lines = (await readFile(path, 'utf8')).split('\n');
    let isChanged = false;
    for (const [at, line] of lines.entries()) {
      const changed = change(line);
      isChanged ||= changed !== line;
      lines[at] = changed;
      if (at % LINES_AT_ONCE === LINES_AT_ONCE - 1) await pause();
    }
    if (isChanged) await writeFileAtomically(path, lines.join('\n'));
  }
}
