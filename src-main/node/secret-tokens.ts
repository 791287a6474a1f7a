import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes, as text that may stand in a URL, a cookie and a header. */
export function makeSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Only digests are kept, so that a copy of this process's memory holds no valid token. */
export function digestToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Compares in constant time, whatever the length of what was given. */
export function matchesDigest(token: string, digest: Buffer): boolean {
  return timingSafeEqual(digestToken(token), digest);
}
