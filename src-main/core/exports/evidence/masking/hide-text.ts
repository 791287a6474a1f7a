const NOT_ASCII = /[^\0-\x7f]/gu;

/**
 * Returns the beginning of a text: at most `most` characters, and never more than a third of it, so that no short text
 * stands there whole. `length` is that of the whole text where `text` is its beginning only.
 */
export function shorten(text: string, most: number, length = text.length): string {
  if (text === '') return '';
  const kept = text.slice(0, Math.min(most, Math.floor(length / 3)));
  return `${kept.replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Returns the shape of a text: letters become `x` or `X`, digits `0`, and what is no ASCII `?`. Spaces, line ends and
 * signs stay, so that its length and its structure can be seen.
 */
export function toShape(text: string): string {
  return text
    .replace(/[\p{Lu}\p{Lt}]/gu, 'X')
    .replace(/(?!X)[\p{L}\p{M}]/gu, 'x')
    .replace(/\p{N}/gu, '0')
    .replace(NOT_ASCII, '?');
}
