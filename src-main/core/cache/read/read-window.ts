import { AppError } from '../../../common/contract/errors.ts';
import type { RecordRow } from '../../../common/model/records/record.ts';
import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { selectRows } from './record-tables.ts';

/** Reads the rows with these ids, in their order. */
export type WindowReader<Row> = (report: DetailKind, ids: readonly number[]) => Row[];

/**
 * Prepares the reading of windows: look-ups by key, or one range where the rows lie side by side. Throws
 * AppError `cache.view-closed` when rows are gone because the snapshot was removed.
 */
export function prepareWindows<Row extends RecordRow>(database: Database, more = ''): WindowReader<Row> {
  const statements = mapKinds(DETAIL_KINDS, (kind) => {
    const select = selectRows(kind, more);
    return {
      one: database.prepare<[number], Row>(`${select} WHERE r.record_id = ?`),
      range: database.prepare<[number, number], Row>(
        `${select} WHERE r.record_id BETWEEN ? AND ? ORDER BY r.record_id`,
      ),
    };
  });
  return (report, ids) => {
    const { one, range } = statements[report];
    const [first = 0] = ids;
    const last = ids.at(-1) ?? 0;
    const isRange = ids.length > 1 && isSideBySide(ids);
    const rows = isRange
      ? range.all(Math.min(first, last), Math.max(first, last))
      : ids.flatMap((id) => one.get(id) ?? []);
    if (rows.length !== ids.length) throw new AppError('cache.view-closed', 'The rows of the view are gone.');
    return isRange && first > last ? rows.reverse() : rows;
  };
}

function isSideBySide(ids: readonly number[]): boolean {
  const step = (ids[1] ?? 0) - (ids[0] ?? 0);
  if (step !== 1 && step !== -1) return false;
  return ids.every((id, index) => index === 0 || id - (ids[index - 1] ?? 0) === step);
}
