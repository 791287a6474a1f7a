import { basename } from 'node:path';
import { AppError } from '../common/contract/errors.ts';
import { findErrorCode } from './error-text.ts';
import { wait, waitSync } from './wait.ts';

/** How long a file that another program has open is tried in all. */
const MAX_WAIT_MS = 10_000;
const FIRST_WAIT_MS = 50;

/**
 * Codes of a file that another program has open. Windows has them for a virus scanner, a backup, a viewer; elsewhere
 * they are rare, and then they last.
 */
const OPENING_CODES: readonly string[] = ['EBUSY', 'EPERM'];
const MOVING_CODES: readonly string[] = [...OPENING_CODES, 'EACCES'];
const CODES = {
  open: OPENING_CODES,
  move: MOVING_CODES,
  /** A folder keeps its place while what was in it is still open. */
  remove: [...MOVING_CODES, 'ENOTEMPTY'],
} as const satisfies Record<string, readonly string[]>;

/** What a call does to a file: it decides which errors may pass by themselves. */
type FileAction = keyof typeof CODES;

interface HeldFile {
  readonly path: string;
  readonly action: FileAction;
  readonly maxWaitMs?: number | undefined;
}

/**
 * Calls again, with growing pauses, what fails because another program has the file open. Throws AppError
 * `files.held` when it still does after `maxWaitMs`, and any other error at once.
 */
export async function retryWhileHeld<Value>(file: HeldFile, call: () => Promise<Value>): Promise<Value> {
  const next = createAttempts(file);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      await wait(next(error));
    }
  }
}

/** Like `retryWhileHeld`, for a thread or process that must be done when it returns. */
export function retryWhileHeldSync<Value>(file: HeldFile, call: () => Value): Value {
  const next = createAttempts(file);
  for (;;) {
    try {
      return call();
    } catch (error) {
      waitSync(next(error));
    }
  }
}

/** Returns how long to wait after each error, and throws once it is the last. */
function createAttempts({ path, action, maxWaitMs = MAX_WAIT_MS }: HeldFile): (error: unknown) => number {
  const codes: readonly string[] = CODES[action];
  let pauseMs = FIRST_WAIT_MS;
  let leftMs = maxWaitMs;
  return (error) => {
    const systemCode = findErrorCode(error) ?? '';
    if (!codes.includes(systemCode)) throw error;
    if (leftMs <= 0) {
      const message = `${path} can't be opened or replaced: another program may have it open.`;
      throw new AppError('files.held', message, { file: basename(path), systemCode }, error);
    }
    const waitMs = Math.min(pauseMs, leftMs);
    leftMs -= waitMs;
    pauseMs *= 2;
    return waitMs;
  };
}
