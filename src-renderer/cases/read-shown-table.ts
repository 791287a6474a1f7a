import type { PartTable } from '../../src-main/common/model/cases/case.ts';
import { toPartTable } from '../format/part-content.ts';

/** What only a screen reader, or nobody, needs. */
const UNSEEN = '.sr-only, [aria-hidden="true"], svg, style';

/** Reads a table as it stands on the screen: the words of each cell. Null where there is none. */
export function readShownTable(around: Element | null): PartTable | null {
  const table = around instanceof HTMLTableElement ? around : around?.querySelector('table');
  const [above, own] = [...(table?.querySelectorAll('thead tr') ?? [])].slice(-2);
  const head = own ?? above;
  if (table === null || table === undefined || head === undefined) return null;
  // Columns of two groups may have one name.
  const groups = own === undefined || above === undefined ? [] : listCells(above).flatMap(spread);
  const columns = listCells(head).map((cell, place) => ({
    name: [groups[place] ?? '', readWords(cell)].filter((words) => words !== '').join(': '),
    isRight: ['right', 'end'].includes(getComputedStyle(cell).textAlign),
  }));
  const rows = [...table.querySelectorAll('tbody tr')].map((row) =>
    // A cell over several columns leaves the others empty.
    listCells(row).flatMap((cell) => [
      readWords(cell),
      ...Array.from({ length: Math.max(1, cell.colSpan) - 1 }, () => ''),
    ]),
  );
  // Columns of buttons and bars say nothing.
  const told = columns.flatMap((_column, place) =>
    rows.some((row) => (row[place] ?? '') !== '') ? [place] : [],
  );
  if (told.length === 0) return null;
  return toPartTable(
    told.flatMap((place) => columns[place] ?? []),
    rows.map((row) => told.map((place) => row[place] ?? '')),
  );
}

/** The words of a head over columns, line by line, for each of its columns. */
function spread(cell: HTMLTableCellElement): string[] {
  const lines = [...cell.childNodes].map((node) => (node.textContent ?? '').trim());
  const words = lines.filter((line) => line !== '').join(', ');
  return Array.from({ length: Math.max(1, cell.colSpan) }, () => words);
}

function listCells(row: Element): HTMLTableCellElement[] {
  return [...row.querySelectorAll<HTMLTableCellElement>(':scope > :is(th, td)')];
}

function readWords(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const unseen of copy.querySelectorAll(UNSEEN)) unseen.remove();
  return copy.textContent.replaceAll(/\s+/g, ' ').trim();
}
