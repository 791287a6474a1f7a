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
