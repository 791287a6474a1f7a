import { AppError } from '../../common/contract/errors.ts';
import type { Input } from '../../common/contract/index.ts';
import { isRowFormat, type RecordFormat, toFormatRow } from '../../common/model/exports/export-options.ts';
import type { SqlColumn } from '../../common/model/records/sql.ts';
import type { ValueName } from '../../common/model/records/body-path.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { toWireDate } from '../../common/reporting/wire-documents.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import {
  describeMasks,
  maskStatedFilter,
  toExportMasks,
  toResultSubject,
} from './evidence/masking/export-masks.ts';
import { arrangeDetailColumns, arrangeSummaryColumns, chooseColumns } from './export-columns.ts';
import {
  type ExportCache,
  type ExportEngine,
  feedRecords,
  readGroups,
  type RowQuestion,
} from './export-source.ts';
import {
  describeExport,
  type EngineExport,
  type PreparedExport,
  readExportSubject,
  type SubjectParts,
  toComputedSummary,
} from './export-subject.ts';
import {
  exportRecordsInEngine,
  exportResultAsParquet,
  exportRowsAsParquet,
  type FileEngine,
  toTypedColumns,
} from './formats/writers.ts';
import { toExportFileName } from './partial-file.ts';
import { type RowBatch, toResultColumns } from './rows/row-batch.ts';

type ExportInput = Input<'exports/start'>;

/** What exports of records are read from. */
export interface RecordParts {
  readonly cache: ExportCache;
  readonly ledger: SubjectParts['ledger'];
  now(): number;
  readonly engine: ExportEngine & FileEngine & Pick<Engine, 'listClients'>;
  /** The names of a connection's channels, services and actions; none for one that is gone. */
  listNames(connectionId: string): readonly ValueName[];
}

/**
 * Prepares the export of records or of a summary. Throws `cache.*`, and `app.invalid-input` for a zone that nobody knows
 * and for a computed summary of what has none.
 */
export async function prepareRecords(
  parts: RecordParts,
  asked: ExportInput,
  format: RecordFormat,
  pseudonymKey: Uint8Array,
): Promise<PreparedExport> {
  const input = toFormatRow(format).dates === 'typed' ? withInstants(asked) : asked;
  const { scope, filter, isSummary = false, includeNames = false, layout = {} } = input;
  const { zone } = asked;
  if (zone !== undefined && !isTimeZone(zone)) {
    throw new AppError('app.invalid-input', 'An export needs a time zone that is known.', { zone });
  }
  if (isSummary && filter.conditions.length > 0) {
    throw new AppError('app.invalid-input', 'A computed summary has no filter.', {});
  }
  const found = await readExportSubject(parts, scope);
  if (isSummary && !isDetailKind(found.report)) {
    throw new AppError('app.invalid-input', 'A summary is computed of detail records.', {});
  }
  const subject = isSummary ? toComputedSummary(found) : found;
  const { connectionId, snapshotId, recordCount, provenance } = subject;
  const names = includeNames ? parts.listNames(connectionId) : [];
  const question = { report: subject.report, input, names };
  // A summary names nobody.
  const masks = isDetailKind(subject.report)
    ? toExportMasks(parts.engine, subject, input, pseudonymKey)
    : null;
  const stated = masks === null ? input : { ...input, filter: maskStatedFilter(filter, masks.job) };
  return {
    format,
    layout,
    connectionId,
    snapshotId,
    recordCount,
    missing: subject.missing,
    suggestedName: toExportFileName(subject, format, { zone, filter: stated.filter }),
    describe: (count, nowMs) => ({
      ...describeExport(subject, stated, count, nowMs),
      ...(masks === null ? {} : describeMasks(masks.job)),
    }),
    provenance: { connectionId, ...provenance },
    inEngine: masks === null ? toEngineExport(parts, question) : null,
    rows: feedRecords(parts, masks === null ? question : { ...question, masks: masks.job }),
    masked: masks === null ? null : { masks, columns: listTyped(question) },
  };
}

/** A typed file has instants, which no clock is needed for, and the text as received beside them. */
function withInstants({ layout = {}, ...input }: ExportInput): ExportInput {
  const dates = layout.dates === 'received' ? 'received' : 'both';
  return { ...input, zone: 'UTC', layout: { ...layout, dates } };
}

function listTyped({ report, input, names }: RowQuestion): { name: string; type: string }[] {
  return isDetailKind(report)
    ? toTypedColumns(report, arrangeDetailColumns(report, input, names).columns)
    : [];
}

function toEngineExport(parts: RecordParts, { report, input, names }: RowQuestion): EngineExport | null {
  if (isDetailKind(report)) {
    return exportRecordsInEngine(parts.engine, input, arrangeDetailColumns(report, input, names).columns);
  }
  if (isRowFormat(input.format)) return null;
  const { columns } = arrangeSummaryColumns(report, input, names);
  return exportRowsAsParquet(parts.engine, report, columns, (signal) => readGroups(parts, input, signal));
}

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
      !isRowFormat(format) && masks === null
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
