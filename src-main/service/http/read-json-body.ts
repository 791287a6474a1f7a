import { isUtf8 } from 'node:buffer';

const DEEPEST = 32;

/**
 * The content of a request body. Undefined when it is not JSON in UTF-8, is nested deeper than 32 levels, or
 * names a member of an object twice: readers disagree about which of the two counts.
 */
export function tryReadJsonBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || !isUtf8(body)) return undefined;
  const text = body.toString().replace(/^\uFEFF/, '');
  try {
    const content: unknown = JSON.parse(text);
    return isUnambiguous(text) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Looks through valid JSON for members named twice and for its depth. */
function isUnambiguous(text: string): boolean {
  const open: Set<string>[] = [];
  // Strings, each with the colon that makes it a member's name, and brackets; the rest is of no interest.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > DEEPEST) return false;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1)) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return false;
      names?.add(name);
    }
  }
  return true;
}
