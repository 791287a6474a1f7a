import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBrowser } from '../../../src-main/node/print-with-browser.ts';

/** Writes a program into a folder that starts the machine's browser; of root the browser's sandbox takes no page. */
export async function writeUnsandboxedBrowser(folder: string): Promise<string> {
  const path = join(folder, 'browser');
  await writeFile(path, `#!/bin/sh\nexec "${findBrowser() ?? ''}" --no-sandbox "$@"\n`);
  await chmod(path, 0o700);
  return path;
}
