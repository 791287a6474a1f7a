import { chmod, writeFile } from 'node:fs/promises';

/**
 * Makes a program at `path` that runs code in Node; only where there is a shell. The code is in a file beside it: the
 * path of a program in a script's first line must not have spaces.
 */
export async function writeProgram(path: string, code: string): Promise<void> {
  await writeFile(`${path}.cjs`, code);
  const quoted = [process.execPath, `${path}.cjs`].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  await writeFile(path, `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`);
  await chmod(path, 0o755);
}
