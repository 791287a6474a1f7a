import { findEqual } from './align-lines.ts';

/** Characters of a line that are shown. */
const MAX_SHOWN_CHARACTERS = 600;
/** Equal characters that stay around a difference in a line that is cut. */
const CONTEXT_CHARACTERS = 60;
const MAX_WORDS = 400;

/** A piece of a line. */
export interface LinePart {
  readonly text: string;
  readonly differs: boolean;
}

/**
 * Cuts a line into what it shares with another and what it doesn't, by words where both are short enough. Of a long
 * line the surroundings of the difference are kept; `…` stands for the rest.
 */
export function markParts(line: string, other: string | null): readonly LinePart[] {
  if (other === null) return cutLong([{ text: line, differs: true }]);
  if (line === other) return cutLong([{ text: line, differs: false }]);
  const isShort = line.length <= MAX_SHOWN_CHARACTERS && other.length <= MAX_SHOWN_CHARACTERS;
  return cutLong((isShort ? markWords(line, other) : null) ?? markMiddle(line, other));
}

function markWords(line: string, other: string): readonly LinePart[] | null {
  const [words, others] = [toWords(line), toWords(other)];
  if (words.length > MAX_WORDS || others.length > MAX_WORDS) return null;
  const equal = new Set(findEqual(words, others).map(([place]) => place));
  const parts: { text: string; differs: boolean }[] = [];
  words.forEach((text, index) => {
    const differs = !equal.has(index);
    const last = parts.at(-1);
    if (last?.differs === differs) last.text += text;
    else parts.push({ text, differs });
  });
  return parts;
}

function toWords(line: string): readonly string[] {
  return line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function markMiddle(line: string, other: string): readonly LinePart[] {
  const shorter = Math.min(line.length, other.length);
  let start = 0;
  while (start < shorter && line[start] === other[start]) start += 1;
  if (isHalf(line, start)) start -= 1;
  let end = 0;
  while (end < shorter - start && line[line.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  if (isHalf(line, line.length - end)) end -= 1;
  return [
    { text: line.slice(0, start), differs: false },
    { text: line.slice(start, line.length - end), differs: true },
    { text: line.slice(line.length - end), differs: false },
  ].filter(({ text }) => text !== '');
}

/** True where a cut would part the two halves of one character. */
function isHalf(text: string, place: number): boolean {
  return (
    place > 0 && /[\uD800-\uDBFF]/.test(text[place - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[place] ?? '')
  );
}

function cutLong(parts: readonly LinePart[]): readonly LinePart[] {
  const whole = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (whole <= MAX_SHOWN_CHARACTERS) return parts;
  const differing = parts.findIndex(({ differs }) => differs);
  return parts.map(({ text, differs }, index) => {
    if (differs || differing < 0) return { text: cutEnd(text, MAX_SHOWN_CHARACTERS), differs };
    if (index < differing) return { text: cutStart(text, CONTEXT_CHARACTERS), differs };
    return { text: cutEnd(text, CONTEXT_CHARACTERS), differs };
  });
}

function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, isHalf(text, most) ? most - 1 : most)}…`;
}

function cutStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = text.length - most;
  return `…${text.slice(isHalf(text, from) ? from + 1 : from)}`;
}
