import type { ServiceAppParts } from './create-service-app.ts';
import { createSharedRefusalLimiter } from './http/refusal-limiter.ts';
import type { ServiceOptions } from './service-options.ts';
import type { RecordStore } from './store/record-store.ts';
import { createSharedTokenIssuer } from './tokens/shared-token-issuer.ts';
import { openTokenKeys } from './tokens/token-keys.ts';

/**
 * Tokens and refusals that count at every process on the store's database. A store that one process opens shares
 * nothing: what the process keeps for itself is enough.
 */
export async function shareWithOthers(
  { readProperties, shared }: RecordStore,
  { tenant, tokenMinutes }: Pick<ServiceOptions, 'tenant' | 'tokenMinutes'>,
  { now, elapsedMs, reportError }: Pick<ServiceAppParts, 'now' | 'elapsedMs' | 'reportError'>,
): Promise<{ readonly parts: Pick<ServiceAppParts, 'tokens' | 'refusals'>; stop(): void }> {
  if (shared === null) return { parts: {}, stop: () => undefined };
  const lifetimeMs = tokenMinutes * 60_000;
  const { changeProperty } = shared;
  const keys = await openTokenKeys({
    readProperties,
    changeProperty,
    now,
    elapsedMs,
    lifetimeMs,
    reportError,
  });
  return {
    parts: {
      tokens: createSharedTokenIssuer({ tenant, keys, now, lifetimeMs }),
      refusals: createSharedRefusalLimiter(shared.refusals, elapsedMs),
    },
    stop: keys.stop,
  };
}
