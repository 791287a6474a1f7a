import type { Names } from '../../../names/use-names.ts';

/** Whole numbers in rising order, three or more in a row as a range: `1–4, 7`. */
export function formatNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs
    .flatMap(([first, last]) => {
      if (last === first) return [`${first}`];
      return last === first + 1 ? [`${first}`, `${last}`] : [`${first}–${last}`];
    })
    .join(', ');
}

/** Those with a person's own name for them first, then the others as numbers. */
export function formatNamed(
  numbers: readonly number[],
  field: string,
  names: Pick<Names, 'find' | 'toText'>,
): string {
  const named = numbers.filter((number) => names.find(field, number) !== null);
  const others = numbers.filter((number) => !named.includes(number));
  return [...named.map((number) => names.toText(field, number)), formatNumbers(others)]
    .filter((text) => text !== '')
    .join(', ');
}
