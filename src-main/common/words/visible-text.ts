/**
 * Characters that browsers draw nothing for, NUL among them, and the two that turn the letters after them around: with one
 * of these `gnp.exe` reads as `exe.png`. What lays out text, in whichever direction it is written, is none of them.
 */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u202d\u202e]/g;
const PICTURES = 0x2400;
const LAST_WITH_PICTURE = '\x1f';
const PICTURE_OF_DELETE = '\u2421';
/** Stands for a substituted character. */
const PICTURE_OF_OVERRIDE = '\u2426';

/** Shows control characters as their pictures, NUL as ␀, and overrides of direction as ␦, each as one character. */
export function toVisible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    if (character === '\x7f') return PICTURE_OF_DELETE;
    if (character > LAST_WITH_PICTURE) return PICTURE_OF_OVERRIDE;
    return String.fromCharCode(PICTURES + character.charCodeAt(0));
  });
}

/** Letters that are read from the right, and marks, overrides and isolates of direction. */
const TURNING =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Each part between them has a direction of its own, so that no isolate reaches over one. */
// eslint-disable-next-line no-control-regex -- three of them end lines too
const LINE_ENDS = /(\r\n|[\n\r\u001c-\u001e\u0085\u2029])/;
const OPENING = /[\u2066-\u2068]/;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/** Returns a text that can stand within a sentence: whatever direction its characters have, they turn nothing beside it. */
export function isolateText(text: string): string {
  if (!TURNING.test(text)) return text;
  return text
    .split(LINE_ENDS)
    .map((part, place) => (place % 2 === 1 || part === '' ? part : isolateLine(part)))
    .join('');
}

/** A text can neither end the isolate around it, nor leave one of its own open. */
function isolateLine(line: string): string {
  let depth = 0;
  let balanced = '';
  for (const character of line) {
    if (character === POP_ISOLATE && depth === 0) continue;
    if (OPENING.test(character)) depth += 1;
    else if (character === POP_ISOLATE) depth -= 1;
    balanced += character;
  }
  return `${FIRST_STRONG_ISOLATE}${balanced}${POP_ISOLATE.repeat(depth + 1)}`;
}
