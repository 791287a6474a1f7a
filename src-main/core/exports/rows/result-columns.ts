import type { SqlColumn } from '../../../common/model/records/sql.ts';
import type { ExportColumn } from '../export-columns.ts';
import type { ResultRow } from './row-batch.ts';

/** The columns of a result: it may name several alike; a file may not, and engines of SQL don't tell letters' case apart. */
export function toResultColumns(columns: readonly SqlColumn[]): ExportColumn<ResultRow>[] {
  const taken = new Set<string>();
  return columns.map(({ name, kind }, place) => {
    let own = name;
    for (let number = 2; taken.has(own.toLowerCase()); number += 1) own = `${name} (${number})`;
    taken.add(own.toLowerCase());
    return {
      name: own,
      type: kind === 'number' ? 'number' : 'text',
      read: (row) => row[place] ?? null,
    };
  });
}

/** Size of a row of a result in characters, about. */
export function measureResultRow(row: ResultRow): number {
  return row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
}
