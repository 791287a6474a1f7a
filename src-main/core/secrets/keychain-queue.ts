import { AppError } from '../../common/contract/errors.ts';
import { toKeychainError } from './keychain-errors.ts';

/** Runs one call of the keychain. Throws `secrets.*`, `secrets.timeout` after the limit. */
type CallKeychain = <Value>(call: () => Promise<Value>) => Promise<Value>;

/** After this time the system is probably asking the person something. */
const QUIET_MS = 1500;

/**
 * Runs keychain calls one after the other, each with a time limit that includes its wait. A call that hangs
 * (an unlock prompt that isn't seen) holds a thread of the pool that files need too: one at most can hang.
 * `onWaiting` hears when a call takes long, and when it has ended, also after its limit.
 */
export function createKeychainQueue(
  timeoutMs: number,
  onWaiting: (isWaiting: boolean) => void = () => undefined,
): CallKeychain {
  let tail: Promise<unknown> = Promise.resolve();

  const watch = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    const result = call();
    const notice = setTimeout(() => {
      onWaiting(true);
      const tellEnd = (): void => onWaiting(false);
      result.then(tellEnd, tellEnd);
    }, QUIET_MS);
    try {
      return await result;
    } finally {
      clearTimeout(notice);
    }
  };
  return async (call) => {
    let expired = false;
    const run = tail.then(() => {
      if (expired) throw toTimeout(timeoutMs);
      return watch(call);
    });
    tail = run.catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        expired = true;
        reject(toTimeout(timeoutMs));
      }, timeoutMs);
    });
    try {
      return await Promise.race([run, limit]);
    } catch (error) {
      throw toKeychainError(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function toTimeout(timeoutMs: number): AppError {
  return new AppError('secrets.timeout', 'The keychain did not respond in time.', { timeoutMs });
}
