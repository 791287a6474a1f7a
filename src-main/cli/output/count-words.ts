/** Returns a count with its noun, which has an s in the plural: `1 record`, `4,051 records`. */
export function countWords(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
