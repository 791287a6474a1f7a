import type { Input } from '../../common/contract/index.ts';
import type { SqlColumn } from '../../common/model/records/sql.ts';
import { toWireDate } from '../../common/reporting/wire-dates.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { chooseColumns } from './arrange-columns.ts';
import { describeMasks, toExportMasks, toResultSubject } from './evidence/masking/export-masks.ts';
import { exportResultAsParquet, type FileEngine } from './formats/engine-formats.ts';
import type { PreparedExport } from './prepared-export.ts';
import { toResultColumns, type RowBatch } from './rows/row-batch.ts';
import { toExportFileName } from './safe-file-name.ts';

type ResultInput = Input<'exports/start-result'>;

/** What exports of results are read from. */
export interface ResultParts {
  readonly engine: Pick<Engine, 'packSqlRows' | 'listClients'> & FileEngine;
  /** The tenant of a connection; null where it isn't known. Throws `connections.not-found`. */
  findTenant(connectionId: string): number | null;
}

/** Rows that are handed over at once, as the engine packs them. */
const WINDOW_ROWS = 1000;

/** Prepares the export of an open result of SQL. Throws `connections.not-found`, and `app.invalid-input`. */
export function prepareResult(
  parts: ResultParts,
  input: ResultInput,
  pseudonymKey: Uint8Array,
): PreparedExport {
  const { resultId, connectionId, rowCount, hasMore, statement, fromMs, toMs, zone, format } = input;
  const { layout = {}, content = 'sql', otherConnectionIds = [] } = input;
  const tenant = parts.findTenant(connectionId);
  const all = toResultColumns(input.columns);
  const columns = chooseColumns(all, layout.columns);
  const period = {
    startDate: toWireDate(fromMs, zone),
    endDate: toWireDate(toMs - 1000, zone),
    fromMs,
    toMs: toMs - 1000,
    zone,
  };
  const { subject, scope } = toResultSubject(connectionId, period);
  const others = otherConnectionIds.map((id) => toResultSubject(id, period));
  const question = { scope, masking: input.masking, others };
  const masks = toExportMasks(parts.engine, subject, question, pseudonymKey);
  const typed = toTyped(all, input.columns);
  async function* readBatches(signal: AbortSignal): AsyncGenerator<RowBatch> {
    for (let offset = 0; offset < rowCount; offset += WINDOW_ROWS) {
      const place = { resultId, offset, limit: WINDOW_ROWS };
      yield { kind: 'result', json: await parts.engine.packSqlRows(place, { signal }) };
    }
  }
  return {
    format,
    layout,
    connectionId,
    suggestedName: toExportFileName({ report: content, tenant, period }, format, { zone }),
    snapshotId: null,
    recordCount: rowCount,
    missing: [],
    describe: (recordCount, nowMs) => ({
      report: content,
      ...(tenant === null ? {} : { tenant }),
      startDate: period.startDate,
      endDate: period.endDate,
      zone,
      ...(masks === null ? { statement } : { statement: '…', ...describeMasks(masks.job) }),
      state: hasMore ? 'first-rows' : 'complete',
      recordCount,
      exportedAt: new Date(nowMs).toISOString(),
    }),
    provenance: { connectionId, snapshotIds: [], gaps: [] },
    inEngine:
      format === 'parquet' && masks === null
        ? exportResultAsParquet(parts.engine, resultId, typed, columns)
        : null,
    rows: {
      shape: {
        kind: 'result',
        columns: input.columns,
        chosen: layout.columns,
        ...(masks === null ? {} : { masks: masks.job }),
      },
      open: (signal, use) => use({ rowCount, batches: readBatches(signal) }),
    },
    masked: masks === null ? null : { masks, columns: typed },
  };
}

/** The columns of a result under the names that they have in a file, with the types that the engine gave them. */
function toTyped(
  all: readonly { readonly name: string }[],
  columns: readonly SqlColumn[],
): { name: string; type: string }[] {
  return all.map(({ name }, place) => ({ name, type: columns[place]?.type ?? 'VARCHAR' }));
}
