import { readFileSync } from 'node:fs';

const page = new URL('../../../src-main/common/reporting/DECISIONS.md', import.meta.url);
const DOES_NOT_APPLY = 'does not apply';

/** A decision by its number, with the sides that it concerns. */
export interface Decision {
  readonly number: number;
  readonly sides: readonly ('client' | 'service')[];
}

/** The decisions of DECISIONS.md, or of a page like it, in order. */
export function readDecisions(text = readFileSync(page, 'utf8')): Decision[] {
  return [...text.matchAll(/^\| (\d+) +\|[^|]*\|([^|]*)\|([^|]*)\|$/gmu)].map(
    ([, number, service = '', client = '']) => ({
      number: Number(number),
      sides: [
        ...(service.trim() === DOES_NOT_APPLY ? [] : (['service'] as const)),
        ...(client.trim() === DOES_NOT_APPLY ? [] : (['client'] as const)),
      ],
    }),
  );
}

/** The sides that a title is about: `8, client` for "decision 8, client: …", two for "decisions 8 and 9, client: …". */
export function readTitledSides(title: string): string[] {
  return [...title.matchAll(/\bdecisions? (\d+(?:(?:, | and )\d+)*), (client|service): /gu)].flatMap(
    ([, numbers = '', side = '']) => [...numbers.matchAll(/\d+/gu)].map(([number]) => `${number}, ${side}`),
  );
}
