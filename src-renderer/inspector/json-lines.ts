/** A piece of text of one colour. */
export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark' | 'space';
  readonly text: string;
}

const PIECE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/g;

function toKind(piece: string, next: string | undefined): JsonToken['kind'] {
  if (piece.startsWith('"')) return next === ':' ? 'key' : 'string';
  if (/^[{}[\],:]$/.test(piece)) return 'mark';
  return /^[a-z]/.test(piece) ? 'word' : 'number';
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Splits a JSON document into lines of coloured pieces, indented by two spaces; returns null when the text is not a
 * JSON object or array. Works on the text itself, so long numbers, escapes and repeated keys stay as received.
 */
export function tryFormatJson(text: string): readonly (readonly JsonToken[])[] | null {
  if (!isJson(text)) return null;
  const pieces = text.match(PIECE) ?? [];
  const lines: JsonToken[][] = [[]];
  let depth = 0;
  const startLine = () => lines.push(depth === 0 ? [] : [{ kind: 'space', text: '  '.repeat(depth) }]);
  pieces.forEach((piece, index) => {
    const next = pieces[index + 1];
    const opens = piece === '{' || piece === '[';
    const closes = piece === '}' || piece === ']';
    const previous = pieces[index - 1];
    const closesEmpty = closes && (previous === '{' || previous === '[');
    if (closes) depth -= 1;
    if (closes && !closesEmpty) startLine();
    lines.at(-1)?.push({ kind: toKind(piece, next), text: piece });
    if (opens) depth += 1;
    if (piece === ':') lines.at(-1)?.push({ kind: 'space', text: ' ' });
    if (piece === ',' || (opens && next !== '}' && next !== ']')) startLine();
  });
  return lines;
}

/** An object or array that takes several lines. */
export interface JsonFold {
  /** The line that closes it. */
  readonly end: number;
  /** Properties or elements that it holds itself. */
  readonly itemCount: number;
}

/** Finds what can be folded, by the line that opens it. */
export function findFolds(lines: readonly (readonly JsonToken[])[]): ReadonlyMap<number, JsonFold> {
  const folds = new Map<number, JsonFold>();
  const open: { start: number; itemCount: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const tokens = line.filter(({ kind }) => kind !== 'space');
    const first = tokens[0]?.text ?? '';
    const last = tokens.at(-1);
    const parent = open.at(-1);
    if (first === '}' || first === ']') {
      if (parent !== undefined) folds.set(parent.start, { end: index, itemCount: parent.itemCount });
      open.pop();
    } else if (parent !== undefined) parent.itemCount += 1;
    if (last?.kind === 'mark' && (last.text === '{' || last.text === '[')) {
      open.push({ start: index, itemCount: 0 });
    }
  }
  return folds;
}
