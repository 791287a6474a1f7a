import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const MOST_TOKENS = 10_000;
/** Word and version, public part, secret, check digits: a scanner for leaked secrets knows it by its form. */
const TOKEN_FORM = /^cst1_([\w-]{8})([\w-]{43})([0-9a-f]{8})$/;

interface KnownToken {
  readonly secretHash: Buffer;
  readonly expiresAtMs: number;
  readonly expiresElapsedMs: number;
}

/** Tokens that are valid now, by hash; lost when the service stops, as a client must expect anyway. */
export class TokenKeeper {
  readonly #now: () => number;
  readonly #elapsedMs: () => number;
  readonly #lifetimeMs: number;
  readonly #tokens = new Map<string, KnownToken>();

  /** `elapsedMs` never goes back: a token ends by whichever clock says so first. */
  constructor(now: () => number, elapsedMs: () => number, lifetimeMs: number) {
    this.#now = now;
    this.#elapsedMs = elapsedMs;
    this.#lifetimeMs = lifetimeMs;
  }

  /** A new random, opaque token (decision 14). The oldest is dropped when there are too many. */
  issue(): string {
    const id = randomBytes(6).toString('base64url');
    const secret = randomBytes(32).toString('base64url');
    this.#tokens.set(id, {
      secretHash: hash(secret),
      expiresAtMs: this.#now() + this.#lifetimeMs,
      expiresElapsedMs: this.#elapsedMs() + this.#lifetimeMs,
    });
    for (const [known, token] of this.#tokens) {
      if (this.#tokens.size <= MOST_TOKENS && this.#isValid(token)) break;
      this.#tokens.delete(known);
    }
    return `cst1_${id}${secret}${toCheckDigits(id + secret)}`;
  }

  /** True for a token that was issued and has not expired. */
  accepts(text: string): boolean {
    const [, id = '', secret = '', digits = ''] = TOKEN_FORM.exec(text) ?? [];
    if (digits !== toCheckDigits(id + secret)) return false;
    const token = this.#tokens.get(id);
    const secretHash = hash(secret);
    // An unknown token takes as long as a known one.
    const isSame = timingSafeEqual(secretHash, token?.secretHash ?? secretHash);
    return isSame && token !== undefined && this.#isValid(token);
  }

  #isValid(token: KnownToken): boolean {
    return token.expiresAtMs > this.#now() && token.expiresElapsedMs > this.#elapsedMs();
  }
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function toCheckDigits(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
