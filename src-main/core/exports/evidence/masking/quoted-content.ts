import type { TextSpan } from './known-clients.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** So many words in a row, or so many characters, are no chance. */
const MIN_WORDS = 3;
const MIN_CHARACTERS = 12;
/** Shorter values of a JSON content are words, and codes, that stand anywhere. */
const MIN_VALUE_CHARACTERS = 4;
const MIN_NUMBER_CHARACTERS = 5;
const MAX_PARSED_CHARACTERS = 200_000;
const MAX_VALUES = 1_000;

/**
 * Returns where a text repeats what a payload says: runs of words that stand there as they are, and whole values of a
 * JSON payload. In order, without overlaps. Meant for texts of a few thousand characters.
 */
export function findQuotedContent(text: string, content: string): readonly TextSpan[] {
  if (text === '' || content === '') return [];
  return mergeSpans([...findRuns(text, content), ...findValues(text, listTextValues(content))]);
}

/** True where a content holds a text as a whole, by itself or as part of a value of its JSON. */
export function holdsWhole(content: string, text: string): boolean {
  return content.includes(text) || listTextValues(content).some((value) => value.includes(text));
}

function findRuns(text: string, content: string): TextSpan[] {
  const words = Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    fromAt: index,
    toAt: index + word.length,
  }));
  const spans: TextSpan[] = [];
  for (let first = 0; first < words.length; first += 1) {
    const fromAt = words[first]?.fromAt ?? 0;
    let last = first - 1;
    while (last + 1 < words.length && content.includes(text.slice(fromAt, words[last + 1]?.toAt))) last += 1;
    if (last < first) continue;
    const toAt = words[last]?.toAt ?? fromAt;
    if (last - first + 1 < MIN_WORDS && toAt - fromAt < MIN_CHARACTERS) continue;
    spans.push({ fromAt, toAt });
    first = last;
  }
  return spans;
}

function findValues(text: string, values: readonly string[]): TextSpan[] {
  return values.flatMap((value) => {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
      const isWhole = !isWordAt(text, at - 1) && !isWordAt(text, at + value.length);
      if (isWhole) spans.push({ fromAt: at, toAt: at + value.length });
    }
    return spans;
  });
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && WORD_CHARACTER.test(text[at] ?? '');
}

/** The content itself and, of JSON, its texts and long numbers. */
function listTextValues(content: string): readonly string[] {
  const values = new Set<string>();
  const visit = (value: unknown): void => {
    if (values.size >= MAX_VALUES) return;
    if (typeof value === 'string') {
      const trimmed = value.trim();
      if (trimmed.length >= MIN_VALUE_CHARACTERS) values.add(trimmed);
    } else if (typeof value === 'number') {
      if (String(value).length >= MIN_NUMBER_CHARACTERS) values.add(String(value));
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(content);
  if (/^\s*[{["]/.test(content) && content.length <= MAX_PARSED_CHARACTERS) {
    try {
      visit(JSON.parse(content));
    } catch {
      // It is no JSON, or nested deeper than it can be visited: its runs of words are found all the same.
    }
  }
  return [...values];
}

function mergeSpans(spans: readonly TextSpan[]): readonly TextSpan[] {
  const merged: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.fromAt - b.fromAt)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromAt >= last.toAt) merged.push(span);
    else merged[merged.length - 1] = { fromAt: last.fromAt, toAt: Math.max(last.toAt, span.toAt) };
  }
  return merged;
}
