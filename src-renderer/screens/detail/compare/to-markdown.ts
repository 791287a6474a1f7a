import { toMarkdown } from '../grid/copy-text.ts';
import { isDifferent, type ComparedField } from './compare-records.ts';

/** Returns a comparison as a Markdown table, a row for each field; what differs is marked by ≠, and what was cut says so. */
export function toComparisonMarkdown(
  heads: readonly string[],
  fields: readonly ComparedField[],
  onlyDifferences: boolean,
  /** Stands beside the name of a field that was cut. */
  cutNote: string,
): string {
  const rows = fields
    .filter(({ differs }) => differs || !onlyDifferences)
    .map(({ name, differs, isCut, rows: lines }) => {
      const shown = onlyDifferences ? lines.filter(isDifferent) : lines;
      const cells = heads.map((_, index) => shown.flatMap((line) => line[index] ?? []).join('\n'));
      return [isCut ? `${name} (${cutNote})` : name, differs ? '≠' : '', ...cells];
    });
  return toMarkdown(['', '', ...heads], rows);
}
