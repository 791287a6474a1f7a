const SPACE = /\s+/y;
const LINE = /--[^\n]*/y;
const WORD = /[a-z_]+/iy;

/**
 * Takes the EXPLAIN before a statement apart, its options included, such as ANALYZE or `(ANALYZE, FORMAT json)`: DuckDB
 * parses only what follows, and takes minutes for thousands of comments, so that there are spaces in their place. Reads on
 * and on, never back, whatever the text is.
 */
export function splitExplain(text: string): { readonly prefix: string; readonly body: string } {
  const word = readWord(text, skipBlank(text, 0));
  if (word?.text !== 'explain') return { prefix: '', body: blankBefore(text, 0) };
  const next = skipBlank(text, word.end);
  const analyze = readWord(text, next);
  if (analyze?.text === 'analyze')
    return { prefix: 'EXPLAIN ANALYZE ', body: blankBefore(text, analyze.end) };
  const bracket = text[next] === '(' ? readOptions(text, next + 1) : null;
  if (bracket === null) return { prefix: 'EXPLAIN ', body: blankBefore(text, word.end) };
  return { prefix: `EXPLAIN (${bracket.options.join(', ')}) `, body: blankBefore(text, bracket.end) };
}

/** A text from a place on, with as many spaces and the same lines in the place of the comments that it begins with. */
function blankBefore(text: string, from: number): string {
  const start = skipBlank(text, from);
  return text.slice(from, start).replaceAll(/[^\n]/g, ' ') + text.slice(start);
}

/** Options in brackets; null where it is something else in brackets, such as a statement. */
function readOptions(text: string, from: number): { options: string[]; end: number } | null {
  const options: string[] = [];
  for (let at = from; ;) {
    const option = readWord(text, skipBlank(text, at));
    if (option === null) return null;
    let own = option.text;
    let end = option.end;
    if (own === 'format') {
      const format = readWord(text, skipBlank(text, end));
      if (format === null) return null;
      own = `FORMAT ${format.text}`;
      end = format.end;
    } else if (own !== 'analyze') return null;
    options.push(own);
    at = skipBlank(text, end);
    if (text[at] === ')') return { options, end: at + 1 };
    if (text[at] !== ',') return null;
    at += 1;
  }
}

function readWord(text: string, from: number): { text: string; end: number } | null {
  WORD.lastIndex = from;
  const found = WORD.exec(text);
  return found === null ? null : { text: found[0].toLowerCase(), end: WORD.lastIndex };
}

/** Returns the first place that is neither space nor comment. */
function skipBlank(text: string, from: number): number {
  for (let at = from; ;) {
    const end = skipOne(text, at);
    if (end === at) return at;
    at = end;
  }
}

function skipOne(text: string, at: number): number {
  for (const pattern of [SPACE, LINE]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return text.startsWith('/*', at) ? skipComment(text, at) : at;
}

/** Comments may hold others. One without an end goes to the end. */
function skipComment(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const isOpening = text.startsWith('/*', at);
    const isClosing = !isOpening && text.startsWith('*/', at);
    if (isOpening) depth += 1;
    if (isClosing) depth -= 1;
    at += isOpening || isClosing ? 2 : 1;
    if (depth === 0) return at;
  }
  return text.length;
}
