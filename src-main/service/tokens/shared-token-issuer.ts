import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { toCheckDigits } from './check-digits.ts';
import type { TokenIssuer } from './token-issuer.ts';
import type { TokenKeys } from './token-keys.ts';

/** Word and version, 54 bytes, check digits. */
const TOKEN_FORM = /^cst2_([\w-]{72})([0-9a-f]{8})$/;
const KEY_ID_BYTES = 4;
const EXPIRY_BYTES = 6;
const RANDOM_BYTES = 12;
const SIGNED_BYTES = KEY_ID_BYTES + EXPIRY_BYTES + RANDOM_BYTES;
const NO_KEY = Buffer.alloc(32);

export interface SharedTokenParts {
  readonly tenant: number;
  readonly keys: TokenKeys;
  readonly now: () => number;
  readonly lifetimeMs: number;
}

/**
 * Tokens that every process of the tenant recognises, and that outlive it: their key's number, when they expire, random
 * bytes, and a signature over these and the tenant. Nothing is kept of a token.
 */
export function createSharedTokenIssuer({ tenant, keys, now, lifetimeMs }: SharedTokenParts): TokenIssuer {
  const sign = (key: Buffer, content: Buffer): Buffer =>
    createHmac('sha256', key).update(`token|${tenant}|`).update(content).digest();
  return {
    issue: () => {
      const { id, key } = keys.getCurrent();
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(now() + lifetimeMs, 0, EXPIRY_BYTES);
      const content = Buffer.concat([Buffer.from(id, 'hex'), expiry, randomBytes(RANDOM_BYTES)]);
      const text = Buffer.concat([content, sign(key, content)]).toString('base64url');
      return Promise.resolve(`cst2_${text}${toCheckDigits(text)}`);
    },
    isValid: async (given) => {
      const [, text = '', digits = ''] = TOKEN_FORM.exec(given) ?? [];
      if (text === '' || digits !== toCheckDigits(text)) return false;
      const bytes = Buffer.from(text, 'base64url');
      const content = bytes.subarray(0, SIGNED_BYTES);
      const known = await keys.find(content.toString('hex', 0, KEY_ID_BYTES));
      // A token of an unknown key takes as long as one with another signature.
      const isSame = timingSafeEqual(bytes.subarray(SIGNED_BYTES), sign(known?.key ?? NO_KEY, content));
      return isSame && known !== undefined && content.readUIntBE(KEY_ID_BYTES, EXPIRY_BYTES) > now();
    },
  };
}
