import { spawnSync } from 'node:child_process';

/** True where `strace` can change what system calls do: Linux, and allowed to. */
export function canInject(): boolean {
  if (process.platform !== 'linux') return false;
  return spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'inject=fsync:error=EIO', 'true']).status === 0;
}

/**
 * The command under which a process meets a fault at the n-th call of a kind, counted from 1. `fault` is in strace's
 * words: `error=ENOSPC`, `signal=KILL`.
 */
export function injectInto(call: string, fault: string, when: number | string): string[] {
  // Filtering in the kernel is quick, but signals are not delivered with it.
  const quick = fault.startsWith('signal') ? [] : ['--seccomp-bpf'];
  const filter = ['-f', ...quick, '-o', '/dev/null', '-e', `trace=${call}`];
  return ['strace', ...filter, '-e', `inject=${call}:${fault}:when=${when}`];
}
