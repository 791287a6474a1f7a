/** Pairs of lines that an exact alignment looks at; beyond it lines are paired by their place. */
const MAX_PAIRS = 4_000_000;

/** A line of each text beside one another; null where a text has none there. */
export type AlignedRow = readonly (string | null)[];

/** What a text has at each line of the first one, and what it has between them. */
interface Placed {
  readonly beside: readonly (string | null)[];
  /** Lines of its own behind a line of the first text; those before it are at 0, so all places are one higher. */
  readonly between: readonly (readonly string[])[];
}

/**
 * Lays texts beside one another, line by line: each is aligned with the first, so that equal lines share a row and
 * changed ones stand opposite each other.
 */
export function alignLines(texts: readonly (readonly string[])[]): readonly AlignedRow[] {
  const [first = [], ...others] = texts;
  const placed = others.map((lines) => placeBeside(first, lines));
  const rows: AlignedRow[] = [];
  for (let place = 0; place <= first.length; place += 1) {
    if (place > 0)
      rows.push([first[place - 1] ?? null, ...placed.map(({ beside }) => beside[place - 1] ?? null)]);
    const most = Math.max(0, ...placed.map(({ between }) => between[place]?.length ?? 0));
    for (let index = 0; index < most; index += 1) {
      rows.push([null, ...placed.map(({ between }) => between[place]?.[index] ?? null)]);
    }
  }
  return rows;
}

function placeBeside(first: readonly string[], lines: readonly string[]): Placed {
  const beside: (string | null)[] = first.map(() => null);
  const between: string[][] = Array.from({ length: first.length + 1 }, () => []);
  let [before, own] = [0, 0];
  // Lines that differ, between two that are equal, stand opposite each other; what is left over has rows of its own.
  for (const [toBefore, toOwn] of [...findEqual(first, lines), [first.length, lines.length] as const]) {
    for (; before < toBefore && own < toOwn; before += 1, own += 1) beside[before] = lines[own] ?? null;
    between[toBefore]?.push(...lines.slice(own, toOwn));
    if (toBefore < first.length) beside[toBefore] = lines[toOwn] ?? null;
    [before, own] = [toBefore + 1, toOwn + 1];
  }
  return { beside, between };
}

/** Places of equal items in both lists, as many as there are in the same order; ascending. */
export function findEqual(
  first: readonly string[],
  second: readonly string[],
): readonly (readonly [number, number])[] {
  let start = 0;
  while (start < first.length && start < second.length && first[start] === second[start]) start += 1;
  let end = 0;
  const shorter = Math.min(first.length, second.length) - start;
  while (end < shorter && first[first.length - 1 - end] === second[second.length - 1 - end]) end += 1;
  const head = Array.from({ length: start }, (_, index) => [index, index] as const);
  const tail = Array.from(
    { length: end },
    (_, index) => [first.length - end + index, second.length - end + index] as const,
  );
  const middle = findCommon(first.slice(start, first.length - end), second.slice(start, second.length - end));
  return [...head, ...middle.map(([a, b]) => [a + start, b + start] as const), ...tail];
}

/** The longest common subsequence, as places in both. */
function findCommon(
  first: readonly string[],
  second: readonly string[],
): readonly (readonly [number, number])[] {
  const width = second.length + 1;
  if (first.length * second.length > MAX_PAIRS) {
    return first.flatMap((item, index) => (item === second[index] ? [[index, index] as const] : []));
  }
  const lengths = new Uint16Array((first.length + 1) * width);
  const read = (a: number, b: number): number => lengths[a * width + b] ?? 0;
  for (let a = first.length - 1; a >= 0; a -= 1) {
    for (let b = second.length - 1; b >= 0; b -= 1) {
      lengths[a * width + b] =
        first[a] === second[b] ? read(a + 1, b + 1) + 1 : Math.max(read(a + 1, b), read(a, b + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let [a, b] = [0, 0];
  while (a < first.length && b < second.length) {
    if (first[a] === second[b]) pairs.push([a++, b++]);
    else if (read(a + 1, b) >= read(a, b + 1)) a += 1;
    else b += 1;
  }
  return pairs;
}
