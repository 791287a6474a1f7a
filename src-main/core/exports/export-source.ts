import type { Input } from '../../common/contract/index.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import type { SummaryGroup } from '../../common/model/records/summary.ts';
import type { ValueName } from '../../common/model/records/value-name.ts';
import { countContent } from '../../common/reporting/field-values.ts';
import { isDetailKind, type DetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { arrangeDetailColumns, arrangeSummaryColumns } from './arrange-columns.ts';
import type { ExportColumn } from './export-columns.ts';

export type ExportCache = Pick<Cache, 'getSnapshot' | 'listSnapshots' | 'readExportBatch' | 'readSummary'>;
export type ExportEngine = Pick<Engine, 'openView' | 'countView' | 'readIds' | 'closeView' | 'summarise'>;

/**
 * Ids read at once; a batch of long payloads holds fewer records. Records in an order of their own lie all over the
 * pages, and each batch opens every page once.
 */
const BATCH_ROWS = 20_000;

/** Characters of what is no field of the specification. */
function countExtra({ extra }: Pick<RecordDetail, 'extra'>): number {
  let characters = 0;
  for (const name in extra) characters += extra[name]?.length ?? 0;
  return characters;
}

/** The records of one export: their fields, their number, and batches of them. */
export interface ExportSource<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  /** Names of the columns that could be chosen. */
  readonly available: readonly string[];
  readonly rowCount: number;
  /** From the first record on, each time that they are iterated. */
  readonly batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
  /** Size of a row in characters, about. */
  readonly measure: (row: Row) => number;
}

/** Reads the groups of a summary, computed or as the service reported them. Throws `cache.*` and `analysis.*`. */
export async function readGroups(
  { cache, engine }: { readonly cache: ExportCache; readonly engine: ExportEngine },
  { scope, isSummary = false }: Pick<Input<'exports/start'>, 'scope' | 'isSummary'>,
  signal: AbortSignal | undefined,
): Promise<readonly SummaryGroup[]> {
  if (isSummary) return engine.summarise(scope, { signal });
  return (await cache.readSummary('snapshotId' in scope ? scope.snapshotId : 0)).groups;
}

/**
 * Opens the records to export and hands them to `use`; what was opened is closed however that ends.
 * Throws `cache.*` and `analysis.*`.
 */
export async function withExportSource(
  { cache, engine }: { readonly cache: ExportCache; readonly engine: ExportEngine },
  report: ReportKind,
  input: Input<'exports/start'>,
  names: readonly ValueName[],
  signal: AbortSignal,
  use: <Row>(source: ExportSource<Row>) => Promise<void>,
): Promise<void> {
  if (isDetailKind(report)) return withDetailSource({ cache, engine }, report, input, names, signal, use);
  const groups = await readGroups({ cache, engine }, input, signal);
  await use({
    ...arrangeSummaryColumns(report, input, names),
    rowCount: groups.length,
    batches: [groups],
    measure: () => 200,
  });
}

/** The same for detail records. */
export async function withDetailSource(
  { cache, engine }: { readonly cache: ExportCache; readonly engine: ExportEngine },
  report: DetailKind,
  input: Input<'exports/start'>,
  names: readonly ValueName[],
  signal: AbortSignal,
  use: (source: ExportSource<RecordDetail>) => Promise<void>,
): Promise<void> {
  const { scope, filter, order, includePayload, includeMarks = false } = input;
  const { viewId } = await engine.openView({ scope, filter, order }, { signal });
  async function* readBatches(rowCount: number): AsyncGenerator<readonly RecordDetail[]> {
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
    const arranged = arrangeDetailColumns(report, input, names);
    const { rowCount } = await engine.countView(viewId, { signal });
    await use({
      ...arranged,
      rowCount,
      batches: { [Symbol.asyncIterator]: () => readBatches(rowCount) },
      measure: (row) => 200 + countContent(row) + countExtra(row),
    });
  } finally {
    // A view that can't be closed doesn't harm a complete file, and must not hide an earlier error.
    await engine.closeView(viewId).catch(() => undefined);
  }
}
