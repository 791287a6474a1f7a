/** What steers a terminal or changes the order of characters. Line ends and tabs count: a cell is one line. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HARMFUL_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

/** Returns text that a terminal shows and never obeys: control characters become pictures or their numbers. */
export function toTerminalText(text: string): string {
  return text.toWellFormed().replace(STEERING, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    if (code === DELETE) return '␡';
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** Returns a value as one line of JSON, in which the same characters are escaped: it reads back as the same value. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    HARMFUL_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
