import type { Input } from '../../common/contract/index.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import { countContent } from '../../common/reporting/field-values.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { selectDetailColumns, selectSummaryColumns, type ExportColumn } from './export-columns.ts';
import type { Cache } from '../cache/cache.ts';

export type ExportCache = Pick<
  Cache,
  'getSnapshot' | 'openView' | 'closeView' | 'readForExport' | 'readSummary'
>;

/** The records of one export: their fields, their number, and batches of them. */
export interface ExportSource<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  readonly rowCount: number;
  readonly batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
  /** Size of a row in characters, about. */
  readonly measure: (row: Row) => number;
}

/**
 * Opens the records to export and hands them to `use`; what was opened is closed however that ends.
 * Throws `cache.*`.
 */
export async function withExportSource(
  cache: ExportCache,
  snapshot: Snapshot,
  input: Input<'exports/start'>,
  signal: AbortSignal,
  use: <Row>(source: ExportSource<Row>) => Promise<void>,
): Promise<void> {
  const { report } = snapshot;
  if (!isDetailKind(report)) {
    const { groups } = await cache.readSummary(snapshot.id);
    await use({
      columns: selectSummaryColumns(report),
      rowCount: groups.length,
      batches: [groups],
      measure: () => 200,
    });
    return;
  }
  const view = await cache.openView(input);
  try {
    await use({
      columns: selectDetailColumns(report, input.includePayload),
      rowCount: view.rowCount,
      batches: cache.readForExport(view.viewId, input.includePayload, signal),
      measure: (row) => 200 + countContent(row),
    });
  } finally {
    // A view that can't be closed takes nothing from a file that is whole, and hides no better error.
    await cache.closeView(view.viewId).catch(() => undefined);
  }
}
