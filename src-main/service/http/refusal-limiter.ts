import { createFailureLimiter } from '../../node/http/failure-limiter.ts';
import type { RefusalWait, SharedRefusals } from '../store/shared-state.ts';

const MAX_KNOWN = 5_000;

/**
 * Slows down guessing of credentials (decision 24): ten refusals within a minute make an address wait. Waits are in
 * whole seconds, 0 for none. A tenant of null is one that is not known yet.
 */
export interface RefusalLimiter {
  /** What this process knows without asking anyone, whichever tenant is tried. */
  getKnownWaitSeconds(address: string): number;
  readWaitSeconds(address: string, tenant: number | null): Promise<number>;
  /** Counts a refusal, unless the address has to wait. */
  add(address: string, tenant: number): Promise<number>;
}

/** Counts for this process alone, and its one tenant. `elapsedMs` is a clock that never goes back. */
export function createOwnRefusalLimiter(elapsedMs: () => number): RefusalLimiter {
  const failures = createFailureLimiter(elapsedMs);
  return {
    getKnownWaitSeconds: failures.getWaitSeconds,
    readWaitSeconds: (address) => Promise.resolve(failures.getWaitSeconds(address)),
    add: (address) => {
      const waitSeconds = failures.getWaitSeconds(address);
      if (waitSeconds === 0) failures.add(address);
      return Promise.resolve(waitSeconds);
    },
  };
}

/**
 * Counts together with other processes, by tenant. An address that has to wait is remembered here until its wait is
 * over.
 */
export function createSharedRefusalLimiter(
  refusals: SharedRefusals,
  elapsedMs: () => number,
): RefusalLimiter {
  const untilMs = new Map<string, number>();
  const getKnown = (key: string): number =>
    Math.max(0, Math.ceil(((untilMs.get(key) ?? 0) - elapsedMs()) / 1000));
  const toKey = (address: string, tenant: number | null): string => `${address} ${tenant ?? ''}`;
  const remember = (address: string, tenant: number | null, wait: RefusalWait): number => {
    const key = wait.isForEveryTenant ? address : toKey(address, tenant);
    untilMs.delete(key);
    if (wait.seconds > 0) untilMs.set(key, elapsedMs() + wait.seconds * 1000);
    const oldest = untilMs.keys().next();
    if (untilMs.size > MAX_KNOWN && oldest.done !== true) untilMs.delete(oldest.value);
    return wait.seconds;
  };
  return {
    getKnownWaitSeconds: getKnown,
    readWaitSeconds: async (address, tenant) => {
      const known = Math.max(getKnown(address), getKnown(toKey(address, tenant)));
      return known > 0 ? known : remember(address, tenant, await refusals.read(address, tenant));
    },
    add: async (address, tenant) => remember(address, tenant, await refusals.add(address, tenant)),
  };
}
