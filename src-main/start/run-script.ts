import { execFile } from 'node:child_process';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface ScriptRun {
  readonly isDone: boolean;
  readonly isLate: boolean;
  readonly output: string;
  readonly errorOutput: string;
}

/** Runs a script with this Node, in the project's folder, and kills it after `limitMs` (0: never). Never rejects. */
export function runScript(
  root: string,
  script: string,
  args: readonly string[],
  limitMs = 0,
): Promise<ScriptRun> {
  const options = {
    cwd: root,
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], options, (error, output, errorOutput) => {
      resolve({ isDone: error === null, isLate: error?.killed === true, output, errorOutput });
    });
  });
}
