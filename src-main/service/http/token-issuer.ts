import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createToken, digestToken, matchesDigest } from '../../node/secret-tokens.ts';

const MAX_TOKENS = 10_000;
/** Word and version, public part, secret, check digits: a scanner for leaked secrets recognises the form. */
const TOKEN_FORM = /^cst1_([\w-]{8})([\w-]{43})([0-9a-f]{8})$/;

interface IssuedToken {
  readonly secretDigest: Buffer;
  readonly expiresAtMs: number;
  readonly expiresElapsedMs: number;
}

/** Issues the tokens of operation 1. They are lost when the service stops, as a client must expect anyway. */
export interface TokenIssuer {
  /** A new random, opaque token (decision 14). The oldest is dropped when there are more than 10,000. */
  issue(): string;
  /** True for a token that was issued and has not expired. */
  isValid(token: string): boolean;
}

/** `elapsedMs` is a clock that never goes back: a token expires by whichever clock says so first. */
export function createTokenIssuer(options: {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly lifetimeMs: number;
}): TokenIssuer {
  const { now, elapsedMs, lifetimeMs } = options;
  const issued = new Map<string, IssuedToken>();
  const isCurrent = (token: IssuedToken): boolean =>
    token.expiresAtMs > now() && token.expiresElapsedMs > elapsedMs();
  return {
    issue: () => {
      const id = randomBytes(6).toString('base64url');
      const secret = createToken();
      issued.set(id, {
        secretDigest: digestToken(secret),
        expiresAtMs: now() + lifetimeMs,
        expiresElapsedMs: elapsedMs() + lifetimeMs,
      });
      for (const [known, token] of issued) {
        if (issued.size <= MAX_TOKENS && isCurrent(token)) break;
        issued.delete(known);
      }
      return `cst1_${id}${secret}${toCheckDigits(id + secret)}`;
    },
    isValid: (text) => {
      const [, id = '', secret = '', digits = ''] = TOKEN_FORM.exec(text) ?? [];
      if (digits !== toCheckDigits(id + secret)) return false;
      const token = issued.get(id);
      // An unknown token takes as long as a known one.
      const isSame = matchesDigest(secret, token?.secretDigest ?? digestToken(secret));
      return isSame && token !== undefined && isCurrent(token);
    },
  };
}

function toCheckDigits(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
