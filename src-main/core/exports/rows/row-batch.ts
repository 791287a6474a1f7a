import { AppError } from '../../../common/contract/errors.ts';
import type { SqlCell, SqlColumn } from '../../../common/model/records/sql.ts';
import type { SummaryGroup } from '../../../common/model/records/histogram.ts';
import type { ValueName } from '../../../common/model/records/body-path.ts';
import type { DetailKind, SummaryKind } from '../../../common/reporting/reports.ts';
import type { ColumnChoice, ExportColumn } from '../export-columns.ts';
import type { MaskJob } from '../evidence/masking/masks.ts';

/** A row of a result of SQL. */
export type ResultRow = readonly SqlCell[];

/** What the rows of a file are and which columns they have: what a thread makes the columns of, since no function reaches it. */
export type RowShape =
  | {
      readonly kind: 'records';
      readonly report: DetailKind;
      readonly choice: ColumnChoice;
      readonly names: readonly ValueName[];
      readonly masks?: MaskJob;
    }
  | {
      readonly kind: 'groups';
      readonly report: SummaryKind;
      readonly choice: ColumnChoice;
      readonly names: readonly ValueName[];
    }
  | {
      readonly kind: 'result';
      readonly columns: readonly SqlColumn[];
      /** Names of the columns to write; all where none are given. */
      readonly chosen: readonly string[] | undefined;
      readonly masks?: MaskJob;
    };

/** Rows on their way into a file: records by their ids, groups as they are, rows of a result as JSON. */
export type RowBatch =
  | {
      readonly kind: 'records';
      readonly report: DetailKind;
      readonly ids: readonly number[];
      /** What each has at the paths of the choice; left out where there are none. */
      readonly values?: readonly Readonly<Record<string, string>>[];
    }
  | { readonly kind: 'groups'; readonly groups: readonly SummaryGroup[] }
  | { readonly kind: 'result'; readonly json: Uint8Array };

/** All rows of a file, in batches. */
export interface RowBatches {
  readonly rowCount: number;
  readonly batches: AsyncIterable<RowBatch> | Iterable<RowBatch>;
}

/** Where the rows of a file come from. */
export interface RowFeed {
  readonly shape: RowShape;
  /** Opens the rows and hands them to `use`; what was opened is closed however that ends. Throws `cache.*` and `analysis.*`. */
  open<Result>(signal: AbortSignal, use: (rows: RowBatches) => Promise<Result>): Promise<Result>;
}

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

/** Throws `exports.write-failed` where a file has not as many rows as there were to write. */
export function requireAll(expected: number, written: number): void {
  if (written === expected) return;
  throw new AppError('exports.write-failed', 'The number of records changed while they were exported.', {
    systemCode: 'count',
    expected,
    written,
  });
}
