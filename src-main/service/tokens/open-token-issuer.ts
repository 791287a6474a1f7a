import type { RecordStore } from '../store/record-store.ts';
import { createSharedTokenIssuer } from './shared-token-issuer.ts';
import type { TokenIssuer } from './token-issuer.ts';
import { openTokenKeys } from './token-keys.ts';
import { randomBytes } from 'node:crypto';
import { digestToken, makeSecretToken, matchesDigest } from '../../node/secret-tokens.ts';
import { toCheckDigits } from './check-digits.ts';

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

const MAX_TOKENS = 10_000;
/** Word and version, public part, secret, check digits. */
const TOKEN_FORM = /^cst1_([\w-]{8})([\w-]{43})([0-9a-f]{8})$/;

interface IssuedToken {
  readonly secretDigest: Buffer;
  readonly expiresAtMs: number;
  readonly expiresElapsedMs: number;
}

/**
 * Tokens that this process alone recognises; they are lost when it stops, as a client must expect anyway. The oldest
 * is dropped when there are more than 10,000. `elapsedMs` is a clock that never goes back: a token expires by whichever
 * clock says so first.
 */
export function createOwnTokenIssuer(options: {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly lifetimeMs: number;
}): TokenIssuer {
  const { now, elapsedMs, lifetimeMs } = options;
  const issued = new Map<string, IssuedToken>();
  const isCurrent = (token: IssuedToken): boolean =>
    token.expiresAtMs > now() && token.expiresElapsedMs > elapsedMs();
  const isIssued = (text: string): boolean => {
    const [, id = '', secret = '', digits = ''] = TOKEN_FORM.exec(text) ?? [];
    if (digits !== toCheckDigits(id + secret)) return false;
    const token = issued.get(id);
    // An unknown token takes as long as a known one.
    const isSame = matchesDigest(secret, token?.secretDigest ?? digestToken(secret));
    return isSame && token !== undefined && isCurrent(token);
  };
  return {
    issue: () => {
      const id = randomBytes(6).toString('base64url');
      const secret = makeSecretToken();
      issued.set(id, {
        secretDigest: digestToken(secret),
        expiresAtMs: now() + lifetimeMs,
        expiresElapsedMs: elapsedMs() + lifetimeMs,
      });
      for (const [known, token] of issued) {
        if (issued.size <= MAX_TOKENS && isCurrent(token)) break;
        issued.delete(known);
      }
      return Promise.resolve(`cst1_${id}${secret}${toCheckDigits(id + secret)}`);
    },
    isValid: (text) => Promise.resolve(isIssued(text)),
  };
}
