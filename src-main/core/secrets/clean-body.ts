import type { SecretSearch } from './secret-search.ts';

/** A body that holds no secret, and how many places were cleaned. */
export interface CleanedBody {
  readonly bytes: ArrayBuffer;
  readonly removed: number;
}

/**
 * Removes every form of a secret from a body. In JSON, texts are cleaned once they are read and written anew, so
 * that it stays JSON and keeps its numbers; anything else is cleaned as one text.
 */
export function cleanBody(bytes: ArrayBuffer, search: SecretSearch): CleanedBody {
  if (!search.mayBytesHold(bytes)) return { bytes, removed: 0 };
  const buffer = Buffer.from(bytes);
  const text = tryDecode(buffer);
  // Other encodings: each byte is a character, and stays one.
  const decoded = text ?? buffer.toString('latin1');
  const clean = isJson(decoded) ? cleanJson(decoded, search) : search.clean(decoded);
  if (clean.removed === 0) return { bytes, removed: 0 };
  const written = Buffer.from(clean.text, text === null ? 'latin1' : 'utf8');
  return { bytes: new Uint8Array(written).buffer, removed: clean.removed };
}

function tryDecode(buffer: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch {
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

function cleanJson(text: string, search: SecretSearch): { readonly text: string; readonly removed: number } {
  const pieces: string[] = [];
  let [done, removed] = [0, 0];
  for (let from = text.indexOf('"'); from !== -1;) {
    const to = findEnd(text, from);
    const literal = text.slice(from, to);
    const clean = search.mayHold(literal) ? search.clean(JSON.parse(literal) as string) : null;
    if (clean !== null && clean.removed > 0) {
      pieces.push(text.slice(done, from), JSON.stringify(clean.text));
      removed += clean.removed;
      done = to;
    }
    from = text.indexOf('"', to);
  }
  return { text: pieces.join('') + text.slice(done), removed };
}

/** The place after the closing quotation mark of the text literal that begins at `from`. */
function findEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}
