import { createHash, randomBytes } from 'node:crypto';

const MOST_TOKENS = 10_000;

/** Tokens that are valid now, by hash; lost when the service stops, as a client must expect anyway. */
export class TokenKeeper {
  readonly #now: () => number;
  readonly #lifetimeMs: number;
  readonly #expiries = new Map<string, number>();

  constructor(now: () => number, lifetimeMs: number) {
    this.#now = now;
    this.#lifetimeMs = lifetimeMs;
  }

  /** A new random, opaque token (decision 14). The oldest is dropped when there are too many. */
  issue(): string {
    const token = randomBytes(32).toString('base64url');
    this.#expiries.set(hash(token), this.#now() + this.#lifetimeMs);
    for (const [known, expiresAtMs] of this.#expiries) {
      if (this.#expiries.size <= MOST_TOKENS && expiresAtMs > this.#now()) break;
      this.#expiries.delete(known);
    }
    return token;
  }

  /** True for a token that was issued and has not expired. */
  accepts(token: string): boolean {
    const expiresAtMs = this.#expiries.get(hash(token));
    return expiresAtMs !== undefined && expiresAtMs > this.#now();
  }
}

// Looking up a hash tells nothing about how much of a guessed token was right.
function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
