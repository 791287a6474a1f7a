const FOLDS: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/[^\s"'<>]+/gi, '<address>'],
  [/\b[\w.+-]+@[\w-]+\.[\w.-]+\b/g, '<address>'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '<address>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/"[^"]*"|'[^']*'|`[^`]*`|«[^»]*»|“[^”]*”/g, '<value>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, '<id>'],
  [/[-+]?\d+(?:[.,:]\d+)*/g, '<number>'],
];

/** What follows in a longer pattern tells no families apart; filters and addresses stay short. */
const MAX_PATTERN_CHARACTERS = 500;
/** Folds that are remembered before they are forgotten together. */
const MAX_REMEMBERED = 20_000;

/** Folds what varies from one occurrence of an error to the next: addresses, identifiers, quoted values, numbers. */
export function toErrorPattern(text: string): string {
  return FOLDS.reduce((folded, [pattern, word]) => folded.replace(pattern, word), text)
    .trim()
    .slice(0, MAX_PATTERN_CHARACTERS);
}

/** Creates a `toErrorPattern` that folds a text that comes again only once. */
export function createErrorFolder(): (text: string) => string {
  const patterns = new Map<string, string>();
  return (text) => {
    if (text === '') return '';
    const known = patterns.get(text);
    if (known !== undefined) return known;
    if (patterns.size >= MAX_REMEMBERED) patterns.clear();
    const pattern = toErrorPattern(text);
    patterns.set(text, pattern);
    return pattern;
  };
}
