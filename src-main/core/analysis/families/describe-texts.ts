import { createVariableReader } from '../../../common/model/connections/family-changes.ts';

/** What the texts of a family have in common, and what varies in between. */
interface DescribedTexts {
  /** One more than there are variables; nothing but the text where all are the same. */
  readonly parts: readonly string[];
  /** A name for each variable, no two alike. */
  readonly names: readonly string[];
}

interface CountedText {
  readonly text: string;
  readonly count: number;
}

/** Texts that are compared; what they have in common is what the others have too, or these are left out. */
const MAX_COMPARED = 150;
const MAX_TOKENS = 600;
const MAX_VARIABLES = 39;
/** Texts with fewer words in common say something else. */
const MIN_ALIKE = 0.5;

const GAP = null;
type Token = string | typeof GAP;

const TOKEN = /[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;
const isWord = (token: Token): boolean => token !== GAP && /[\p{L}\p{N}]/u.test(token);

/** Finds what the texts of a family have in common, those of the most records first. */
export function describeTexts(texts: readonly CountedText[]): DescribedTexts {
  const [first, ...others] = texts;
  if (first === undefined) return { parts: [''], names: [] };
  let tokens: Token[] = toTokens(first.text);
  for (const { text } of others.slice(0, MAX_COMPARED)) {
    const next = toTokens(text);
    const common = align(tokens, next);
    if (measureLikeness(common, tokens, next) >= MIN_ALIKE) tokens = joinGaps(common);
  }
  const parts = toParts(tokens);
  const names: string[] = [];
  for (const [at, before] of parts.slice(0, -1).entries()) {
    const name = nameVariable(before, parts[at + 1] ?? '');
    const same = names.filter((own) => own === name || own.startsWith(`${name} `)).length;
    names.push(same === 0 ? name : `${name} ${same + 1}`);
  }
  return { parts, names };
}

/** A variable of some texts: its values with their records, the most frequent first. */
interface CountedVariable {
  readonly name: string;
  readonly valueCount: number;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Whether no two records have the same value. */
  readonly neverRepeats: boolean;
}

/** Counts the values of each variable, at most `limit` of each, and the records whose text has none of them. */
export function countVariables(
  { parts, names }: DescribedTexts,
  texts: readonly CountedText[],
  limit: number,
): { readonly variables: CountedVariable[]; readonly otherCount: number } {
  const readVariables = createVariableReader(parts);
  const counts = names.map(() => new Map<string, number>());
  let otherCount = 0;
  for (const { text, count } of texts) {
    const values = parts.length < 2 ? (text === parts[0] ? [] : null) : readVariables(text);
    if (values === null) otherCount += count;
    else
      for (const [at, value] of values.entries())
        counts[at]?.set(value, (counts[at].get(value) ?? 0) + count);
  }
  const variables = counts.map((own, at): CountedVariable => {
    const sorted = [...own].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return {
      name: names[at] ?? '',
      valueCount: own.size,
      values: sorted.slice(0, limit).map(([value, count]) => ({ value, count })),
      neverRepeats: own.size > 1 && (sorted[0]?.[1] ?? 0) === 1,
    };
  });
  return { variables, otherCount };
}

/** The share of words that two texts have in common, in their order. */
export function compareTexts(one: string, other: string): number {
  const [a, b] = [toTokens(one), toTokens(other)];
  return measureLikeness(align(a, b), a, b);
}

const toTokens = (text: string): string[] => (text.match(TOKEN) ?? []).slice(0, MAX_TOKENS);

function measureLikeness(common: readonly Token[], a: readonly Token[], b: readonly Token[]): number {
  const count = (tokens: readonly Token[]): number => tokens.filter(isWord).length;
  const total = count(a) + count(b);
  return total === 0 ? 1 : (2 * count(common)) / total;
}

/** The longest list of tokens that both have in their order, with a gap wherever either has more. */
function align(a: readonly Token[], b: readonly Token[]): Token[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] !== GAP && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] !== GAP && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [ownA, ownB] = [a.slice(start, endA), b.slice(start, endB)];
  const width = ownB.length + 1;
  const table = new Uint16Array((ownA.length + 1) * width);
  for (let row = ownA.length - 1; row >= 0; row -= 1)
    for (let column = ownB.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        ownA[row] !== GAP && ownA[row] === ownB[column]
          ? (table[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(table[(row + 1) * width + column] ?? 0, table[row * width + column + 1] ?? 0);
  const middle: Token[] = [];
  const addGap = (): void => {
    if (middle.at(-1) !== GAP) middle.push(GAP);
  };
  let [row, column] = [0, 0];
  while (row < ownA.length || column < ownB.length) {
    const token = ownA[row];
    if (row < ownA.length && token !== GAP && token === ownB[column]) {
      middle.push(token ?? '');
      row += 1;
      column += 1;
      continue;
    }
    addGap();
    const isDown =
      column >= ownB.length ||
      (row < ownA.length &&
        (table[(row + 1) * width + column] ?? 0) >= (table[row * width + column + 1] ?? 0));
    if (isDown) row += 1;
    else column += 1;
  }
  return [...a.slice(0, start), ...middle, ...a.slice(endA)];
}

/** One value that has hyphens, dots or blanks in it is one, and no list of them. */
function joinGaps(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  let place = 0;
  while (place < tokens.length) {
    const token = tokens[place] ?? GAP;
    joined.push(token);
    place += 1;
    if (token !== GAP) continue;
    for (;;) {
      const next = tokens.indexOf(GAP, place);
      const between = next === -1 ? [] : tokens.slice(place, next);
      const isOne = next !== -1 && between.every((own) => own !== GAP && /^(?:[-_.:/@+]|\s)$/u.test(own));
      if (!isOne) break;
      place = next + 1;
    }
  }
  return joined;
}

function toParts(tokens: readonly Token[]): string[] {
  const parts = [''];
  for (const token of tokens) {
    if (token !== GAP) parts.push(`${parts.pop() ?? ''}${token}`);
    else if (parts.length <= MAX_VARIABLES) parts.push('');
  }
  return parts;
}

/** Words that lead to a value and say nothing of it. */
const LEADING = new Set(
  (
    'a an the for of in to with by at on is was are from and or not no as than after before within el la los las un una ' +
    'de del al en con por para que es der die das den dem ein eine von mit für nach bei im am zu o os as um uma do da dos ' +
    'das em no na com por'
  ).split(' '),
);

/** A name for what stands between two parts: its key, the word before it, or the one after it. */
function nameVariable(before: string, after: string): string {
  const key = /["']?([\p{L}\p{N}_.-]+)["']?\s*[:=]\s*\\?["']?$/u.exec(before)?.[1];
  if (key !== undefined) return toWords(key);
  const [, previous] = /([\p{L}\p{N}_]+)[\s"'(#<[]*$/u.exec(before) ?? [];
  if (previous !== undefined && !LEADING.has(previous.toLowerCase()) && /\p{L}{2}/u.test(previous))
    return toWords(previous);
  const [, next] = /^\s?([\p{L}]{2,})/u.exec(after) ?? [];
  if (next !== undefined && !LEADING.has(next.toLowerCase())) return toWords(next);
  return previous === undefined ? 'value' : toWords(previous);
}

const toWords = (name: string): string =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_.-]+/gu, ' ')
    .trim()
    .slice(0, 40)
    .toLowerCase() || 'value';
