import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a cursor is good for: one report of one tenant over one period. */
export interface CursorScope {
  readonly tenant: number;
  readonly idReport: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const MAC_BYTES = 16;

/** Writes the position of a page's last document as an opaque text that can't be altered or reused elsewhere. */
export function issueCursor(key: Buffer, scope: CursorScope, position: readonly number[]): string {
  const content = position.join('.');
  return Buffer.concat([sign(key, scope, content), Buffer.from(content, 'latin1')]).toString('base64url');
}

/** The position, or undefined for a text that wasn't issued for this scope. */
export function tryReadCursor(key: Buffer, scope: CursorScope, text: string): number[] | undefined {
  if (text.length > 256 || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Some texts decode to the same bytes; only the one that was issued counts.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return undefined;
  const content = bytes.subarray(MAC_BYTES).toString('latin1');
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(key, scope, content))) return undefined;
  return content.split('.').map(Number);
}

function sign(key: Buffer, scope: CursorScope, content: string): Buffer {
  const bound = [scope.tenant, scope.idReport, scope.fromMs, scope.toMs, content].join('|');
  return createHmac('sha256', key).update(bound).digest().subarray(0, MAC_BYTES);
}
