/** What can stand in a pattern for text that varies. */
const FOLDED = ['number', 'id', 'value', 'address', 'time', 'name', 'path'] as const;
type FoldedKind = (typeof FOLDED)[number];

/** A piece of a pattern: words, or what stands for text that varies. */
type PatternPart = { readonly text: string } | { readonly folded: FoldedKind };

/** Cuts a pattern into its words and what stands for text that varies. */
export function toPatternParts(pattern: string): PatternPart[] {
  return pattern
    .split(/(<(?:number|id|value|address|time|name|path)>)/)
    .filter((text) => text !== '')
    .map((text) => {
      const folded = FOLDED.find((kind) => text === `<${kind}>`);
      return folded === undefined ? { text } : { folded };
    });
}

/** Returns a pattern as plain words, with the names of what varies. */
export function spellPattern(pattern: string, nameFolded: (kind: FoldedKind) => string): string {
  return toPatternParts(pattern)
    .map((part) => ('folded' in part ? nameFolded(part.folded) : part.text))
    .join('');
}
