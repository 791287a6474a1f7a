import { execFile } from 'node:child_process';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface ScriptRun {
  readonly isDone: boolean;
  readonly output: string;
  readonly errorOutput: string;
}

/** Runs a script with this Node, in the project's folder. Never rejects. */
export function runScript(root: string, script: string, args: readonly string[]): Promise<ScriptRun> {
  const options = { cwd: root, maxBuffer: MAX_OUTPUT_BYTES } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], options, (error, output, errorOutput) => {
      resolve({ isDone: error === null, output, errorOutput });
    });
  });
}
