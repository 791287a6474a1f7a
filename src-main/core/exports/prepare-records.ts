import { AppError } from '../../common/contract/errors.ts';
import type { Input } from '../../common/contract/index.ts';
import type { RecordFormat } from '../../common/model/exports/export-options.ts';
import type { ValueName } from '../../common/model/records/value-name.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { arrangeDetailColumns, arrangeSummaryColumns } from './arrange-columns.ts';
import { describeExport, readExportSubject, toComputedSummary, type SubjectParts } from './export-subject.ts';
import { describeMasks, maskStatedFilter, toExportMasks } from './evidence/masking/export-masks.ts';
import {
  feedRecords,
  readGroups,
  type ExportCache,
  type ExportEngine,
  type RowQuestion,
} from './export-source.ts';
import {
  exportRecordsInEngine,
  exportRowsAsParquet,
  toTypedColumns,
  type FileEngine,
} from './formats/engine-formats.ts';
import type { EngineExport, PreparedExport } from './prepared-export.ts';
import { toExportFileName } from './safe-file-name.ts';

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
  const input = format === 'parquet' ? withInstants(asked) : asked;
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
  if (input.format !== 'parquet') return null;
  const { columns } = arrangeSummaryColumns(report, input, names);
  return exportRowsAsParquet(parts.engine, report, columns, (signal) => readGroups(parts, input, signal));
}
