import { execFileSync } from 'node:child_process';

/**
 * Calls `onEnter` whenever the person presses Enter in the terminal, as long as this process is in its foreground. False
 * where there is no terminal: a program in the background that reads from one is stopped by the system.
 */
export function listenForEnter(
  program: Pick<NodeJS.Process, 'stdin' | 'stderr' | 'on'>,
  onEnter: () => void,
  isInForeground: () => boolean = isForeground,
): boolean {
  const { stdin } = program;
  if (!stdin.isTTY || !program.stderr.isTTY || !isInForeground()) return false;
  stdin.on('data', onEnter);
  stdin.unref();
  if (process.platform !== 'win32') {
    // It comes with bg and fg of a shell.
    program.on('SIGCONT', () => {
      if (isInForeground()) stdin.resume();
      else stdin.pause();
    });
  }
  return true;
}

/** Whether the terminal belongs to the group of this process now. */
function isForeground(): boolean {
  if (process.platform === 'win32') return true;
  try {
    const words = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
    const [own, terminal] = execFileSync('ps', words, { encoding: 'utf8' }).trim().split(/\s+/u);
    return own !== undefined && own === terminal;
  } catch {
    return false;
  }
}
