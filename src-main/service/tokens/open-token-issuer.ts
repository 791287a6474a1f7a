import type { RecordStore } from '../store/record-store.ts';
import { createOwnTokenIssuer } from './own-token-issuer.ts';
import { createSharedTokenIssuer } from './shared-token-issuer.ts';
import type { TokenIssuer } from './token-issuer.ts';
import { openTokenKeys } from './token-keys.ts';

export interface TokenSurroundings {
  readonly tenant: number;
  readonly lifetimeMs: number;
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
}

/** Tokens of a tenant: of every process on the store's database, or of this one where it has the store to itself. */
export async function openTokenIssuer(
  { readProperties, shared }: Pick<RecordStore, 'readProperties' | 'shared'>,
  { tenant, lifetimeMs, now, elapsedMs }: TokenSurroundings,
): Promise<TokenIssuer> {
  if (shared === null) return createOwnTokenIssuer({ now, elapsedMs, lifetimeMs });
  const { changeProperty } = shared;
  const keys = await openTokenKeys({ readProperties, changeProperty, now, elapsedMs, lifetimeMs });
  return createSharedTokenIssuer({ tenant, keys, now, lifetimeMs });
}
