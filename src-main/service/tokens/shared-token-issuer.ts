import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { toCheckDigits } from './check-digits.ts';
import type { TokenIssuer } from './token-issuer.ts';
import type { TokenKeys } from './token-keys.ts';

/** Word and version, 63 bytes, check digits. */
const TOKEN_FORM = /^cst3_([\w-]{84})([0-9a-f]{8})$/;
const TENANT_BYTES = 8;
const KEY_ID_BYTES = 4;
const EXPIRY_BYTES = 6;
const RANDOM_BYTES = 13;
const EXPIRY_AT = TENANT_BYTES + KEY_ID_BYTES;
const SIGNED_BYTES = EXPIRY_AT + EXPIRY_BYTES + RANDOM_BYTES;
const NO_KEY = Buffer.alloc(32);

export interface SharedTokenParts {
  readonly tenant: number;
  readonly keys: TokenKeys;
  readonly now: () => number;
  readonly lifetimeMs: number;
}

/**
 * Tokens that every process recognises, and that outlive it: their tenant, their key's number, when they expire, random
 * bytes, and a signature over these by a key of the tenant. Nothing is kept of a token.
 */
export function createSharedTokenIssuer({ tenant, keys, now, lifetimeMs }: SharedTokenParts): TokenIssuer {
  const sign = (key: Buffer, content: Buffer): Buffer =>
    createHmac('sha256', key).update('token|').update(content).digest();
  return {
    issue: async () => {
      const { id, key } = await keys.readCurrent();
      const head = Buffer.alloc(EXPIRY_AT + EXPIRY_BYTES);
      head.writeBigUInt64BE(BigInt(tenant));
      head.write(id, TENANT_BYTES, 'hex');
      head.writeUIntBE(now() + lifetimeMs, EXPIRY_AT, EXPIRY_BYTES);
      const content = Buffer.concat([head, randomBytes(RANDOM_BYTES)]);
      const text = Buffer.concat([content, sign(key, content)]).toString('base64url');
      return `cst3_${text}${toCheckDigits(text)}`;
    },
    isValid: async (given) => {
      const [, text = '', digits = ''] = TOKEN_FORM.exec(given) ?? [];
      if (text === '' || digits !== toCheckDigits(text)) return false;
      const bytes = Buffer.from(text, 'base64url');
      const content = bytes.subarray(0, SIGNED_BYTES);
      if (content.readBigUInt64BE() !== BigInt(tenant)) return false;
      const known = await keys.find(content.toString('hex', TENANT_BYTES, EXPIRY_AT));
      // A token of an unknown key takes as long as one with another signature.
      const isSame = timingSafeEqual(bytes.subarray(SIGNED_BYTES), sign(known?.key ?? NO_KEY, content));
      return isSame && known !== undefined && content.readUIntBE(EXPIRY_AT, EXPIRY_BYTES) > now();
    },
  };
}
