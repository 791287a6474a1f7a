/** Characters that browsers draw nothing for, NUL among them; what lays out text is none of them. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';

/** Shows control characters as their pictures, NUL as ␀, each as one character. */
export function toVisible(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character === '\x7f' ? PICTURE_OF_DELETE : String.fromCharCode(PICTURES + character.charCodeAt(0)),
  );
}
