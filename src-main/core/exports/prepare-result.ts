import type { Input } from '../../common/contract/index.ts';
import type { SqlCell, SqlColumn } from '../../common/model/records/sql.ts';
import { toWireDate } from '../../common/reporting/wire-dates.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { chooseColumns } from './arrange-columns.ts';
import type { ExportColumn } from './export-columns.ts';
import { exportResultAsParquet, type FileEngine } from './formats/engine-formats.ts';
import type { PreparedExport } from './prepared-export.ts';
import { toExportFileName } from './safe-file-name.ts';

type ResultInput = Input<'exports/start-result'>;
type ResultRow = readonly SqlCell[];

/** What exports of results are read from. */
export interface ResultParts {
  readonly engine: Pick<Engine, 'readSqlRows'> & FileEngine;
  /** The tenant of a connection; null where it isn't known. Throws `connections.not-found`. */
  findTenant(connectionId: string): number | null;
}

const WINDOW_ROWS = 500;

/** Prepares the export of an open result of SQL. Throws `connections.not-found`, and `app.invalid-input`. */
export function prepareResult(parts: ResultParts, input: ResultInput): PreparedExport {
  const { resultId, connectionId, rowCount, hasMore, statement, fromMs, toMs, zone, format } = input;
  const { layout = {} } = input;
  const tenant = parts.findTenant(connectionId);
  const all = toColumns(input.columns);
  const columns = chooseColumns(all, layout.columns);
  const period = {
    startDate: toWireDate(fromMs, zone),
    endDate: toWireDate(toMs - 1000, zone),
    fromMs,
    toMs: toMs - 1000,
    zone,
  };
  async function* readBatches(signal: AbortSignal): AsyncGenerator<readonly ResultRow[]> {
    for (let offset = 0; offset < rowCount;) {
      const place = { resultId, offset, limit: WINDOW_ROWS, whole: true };
      const rows = await parts.engine.readSqlRows(place, { signal });
      if (rows.length === 0) return;
      yield rows;
      offset += rows.length;
    }
  }
  return {
    format,
    layout,
    connectionId,
    suggestedName: toExportFileName({ report: 'sql', tenant, period }, format, { zone }),
    snapshotId: null,
    recordCount: rowCount,
    describe: (recordCount, nowMs) => ({
      report: 'sql',
      ...(tenant === null ? {} : { tenant }),
      startDate: period.startDate,
      endDate: period.endDate,
      zone,
      statement,
      state: hasMore ? 'first-rows' : 'complete',
      recordCount,
      exportedAt: new Date(nowMs).toISOString(),
    }),
    provenance: { connectionId, snapshotIds: [], gaps: [] },
    inEngine:
      format === 'parquet'
        ? exportResultAsParquet(parts.engine, resultId, toTyped(all, input.columns), columns)
        : null,
    withSource: (signal, use) =>
      use<ResultRow>({
        columns,
        available: all.map(({ name }) => name),
        rowCount,
        batches: readBatches(signal),
        measure: (row) =>
          row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0),
      }),
  };
}

/** The columns of a result under the names that they have in a file, with the types that the engine gave them. */
function toTyped(
  all: readonly { readonly name: string }[],
  columns: readonly SqlColumn[],
): { name: string; type: string }[] {
  return all.map(({ name }, place) => ({ name, type: columns[place]?.type ?? 'VARCHAR' }));
}

/** A result may name several columns alike; a file may not, and engines of SQL don't tell letters' case apart. */
function toColumns(columns: readonly SqlColumn[]): ExportColumn<ResultRow>[] {
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
