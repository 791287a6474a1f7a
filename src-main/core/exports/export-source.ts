import type { Input } from '../../common/contract/index.ts';
import type { RecordDetail } from '../../common/model/record.ts';
import { countContent } from '../../common/reporting/field-values.ts';
import { isDetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import {
  MARK_COLUMNS,
  selectDetailColumns,
  selectSummaryColumns,
  type ExportColumn,
} from './export-columns.ts';

export type ExportCache = Pick<Cache, 'getSnapshot' | 'listSnapshots' | 'readExportBatch' | 'readSummary'>;
export type ExportEngine = Pick<Engine, 'openView' | 'readIds' | 'closeView'>;

/**
 * Ids read at once; a batch of long payloads holds fewer records. Records in an order of their own lie all over the
 * pages, and each batch opens every page once.
 */
const BATCH_ROWS = 20_000;

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
 * Throws `cache.*` and `analysis.*`.
 */
export async function withExportSource(
  { cache, engine }: { readonly cache: ExportCache; readonly engine: ExportEngine },
  report: ReportKind,
  input: Input<'exports/start'>,
  signal: AbortSignal,
  use: <Row>(source: ExportSource<Row>) => Promise<void>,
): Promise<void> {
  const { scope, filter, order, includePayload, includeMarks = false } = input;
  if (!isDetailKind(report)) {
    const { groups } = await cache.readSummary('snapshotId' in scope ? scope.snapshotId : 0);
    await use({
      columns: selectSummaryColumns(report),
      rowCount: groups.length,
      batches: [groups],
      measure: () => 200,
    });
    return;
  }
  const { viewId, rowCount } = await engine.openView({ scope, filter, order }, { signal });
  async function* readBatches(): AsyncGenerator<readonly RecordDetail[]> {
    for (let start = 0; start < rowCount;) {
      const { report: of, ids } = await engine.readIds(
        { viewId, offset: start, limit: BATCH_ROWS },
        { signal },
      );
      for (let place = 0; place < ids.length;) {
        signal.throwIfAborted();
        const rows = await cache.readExportBatch({
          report: of,
          ids: ids.slice(place),
          includePayload,
          includeMarks,
        });
        yield rows;
        place += rows.length;
      }
      start += ids.length;
      if (ids.length === 0) return;
    }
  }
  try {
    await use({
      columns: [...selectDetailColumns(report, includePayload), ...(includeMarks ? MARK_COLUMNS : [])],
      rowCount,
      batches: readBatches(),
      measure: (row) => 200 + countContent(row),
    });
  } finally {
    // A view that can't be closed doesn't harm a complete file, and must not hide an earlier error.
    await engine.closeView(viewId).catch(() => undefined);
  }
}
