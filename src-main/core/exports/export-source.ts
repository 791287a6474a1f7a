import type { Input } from '../../common/contract/index.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import type { SummaryGroup } from '../../common/model/records/histogram.ts';
import type { ValueName } from '../../common/model/records/body-path.ts';
import { isDetailKind, type DetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { toColumnChoice } from './export-columns.ts';
import type { MaskJob } from './evidence/masking/masks.ts';
import { openRecordRows, type Rows } from './rows/open-rows.ts';
import type { RowBatch, RowFeed } from './rows/row-batch.ts';

export type ExportCache = Pick<Cache, 'getSnapshot' | 'listSnapshots' | 'readExportBatch' | 'readSummary'>;
export type ExportEngine = Pick<
  Engine,
  'openView' | 'countView' | 'readIds' | 'readValues' | 'closeView' | 'summarise'
>;

interface Parts {
  readonly cache: Pick<ExportCache, 'readSummary'>;
  readonly engine: ExportEngine;
}

/** The rows that an export asks for. */
export interface RowQuestion<Kind extends ReportKind = ReportKind> {
  readonly report: Kind;
  readonly input: Input<'exports/start'>;
  /** Of its values, where they are asked for. */
  readonly names: readonly ValueName[];
  /** How its records are masked; left out, as received. */
  readonly masks?: MaskJob;
}

/**
 * Ids read at once; a batch of long payloads holds fewer records. Records in an order of their own lie all over the
 * pages, and each batch opens every page once.
 */
const BATCH_ROWS = 20_000;

/** Reads the groups of a summary, computed or as the service reported them. Throws `cache.*` and `analysis.*`. */
export async function readGroups(
  { cache, engine }: Parts,
  { scope, isSummary = false }: Pick<Input<'exports/start'>, 'scope' | 'isSummary'>,
  signal: AbortSignal | undefined,
): Promise<readonly SummaryGroup[]> {
  if (isSummary) return engine.summarise(scope, { signal });
  return (await cache.readSummary('snapshotId' in scope ? scope.snapshotId : 0)).groups;
}

/** The rows that an export asks for: records in the order of a view, or the groups of a summary. */
export function feedRecords(parts: Parts, { report, input, names, masks }: RowQuestion): RowFeed {
  const choice = toColumnChoice(input);
  if (!isDetailKind(report)) {
    return {
      shape: { kind: 'groups', report, choice, names },
      async open(signal, use) {
        const groups = await readGroups(parts, input, signal);
        return use({ rowCount: groups.length, batches: [{ kind: 'groups', groups }] });
      },
    };
  }
  const { scope, filter, order, paths = [] } = input;
  const { engine } = parts;
  return {
    shape: { kind: 'records', report, choice, names, ...(masks === undefined ? {} : { masks }) },
    async open(signal, use) {
      const { viewId } = await engine.openView({ scope, filter, order }, { signal });
      try {
        const { rowCount } = await engine.countView(viewId, { signal });
        const batches = {
          [Symbol.asyncIterator]: () => readIds(engine, { viewId, rowCount, paths }, signal),
        };
        return await use({ rowCount, batches });
      } finally {
        // A view that can't be closed doesn't harm a complete file, and must not hide an earlier error.
        await engine.closeView(viewId).catch(() => undefined);
      }
    },
  };
}

/** Detail records as they are read in this thread, for what is made of them besides a file. */
export interface ExportSource<Row> extends Pick<Rows<Row>, 'columns' | 'available' | 'measure'> {
  readonly rowCount: number;
  /** From the first record on, each time that they are iterated. */
  readonly batches: AsyncIterable<readonly Row[]>;
}

/**
 * Opens the detail records to export and hands them to `use`; what was opened is closed however that ends.
 * Throws `cache.*` and `analysis.*`.
 */
export async function withDetailSource(
  parts: Parts & { readonly cache: ExportCache },
  question: RowQuestion<DetailKind>,
  signal: AbortSignal,
  use: (source: ExportSource<RecordDetail>) => Promise<void>,
): Promise<void> {
  const { report, input, names } = question;
  const shape = { kind: 'records', report, choice: toColumnChoice(input), names } as const;
  const rows = openRecordRows(shape, parts.cache.readExportBatch);
  await feedRecords(parts, question).open(signal, async ({ rowCount, batches }) => {
    async function* readRows(): AsyncGenerator<readonly RecordDetail[]> {
      for await (const batch of batches) yield* rows.read(batch);
    }
    await use({ ...rows, rowCount, batches: { [Symbol.asyncIterator]: readRows } });
  });
}

async function* readIds(
  engine: Pick<Engine, 'readIds' | 'readValues'>,
  { viewId, rowCount, paths }: { viewId: string; rowCount: number; paths: readonly string[] },
  signal: AbortSignal,
): AsyncGenerator<RowBatch> {
  for (let offset = 0; offset < rowCount;) {
    const { report, ids } = await engine.readIds({ viewId, offset, limit: BATCH_ROWS }, { signal });
    if (ids.length === 0) return;
    if (paths.length === 0) yield { kind: 'records', report, ids };
    else {
      const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
      const values = await engine.readValues({ direction, ids, paths, isWhole: true }, { signal });
      yield { kind: 'records', report, ids, values };
    }
    offset += ids.length;
  }
}
