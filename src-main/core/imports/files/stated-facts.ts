import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { CsvDialect } from '../../../common/model/exports/export-options.ts';
import { toUnreadable } from '../../../common/contract/errors.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import { isSensibleInstant, type Period } from '../../../common/model/period.ts';
import type { DatasetDay, DatasetManifest } from '../../datasets/dataset-manifest.ts';
import { REPORT_KINDS, type ReportKind } from '../../../common/reporting/reports.ts';
import { fromWireDate } from '../../../common/reporting/wire-dates.ts';
import { isTimeZone } from '../../../common/time/time-zones.ts';

/** What an export says about itself: in its own head, or in the manifest beside it; with the limits of where it ends up. */
const Stated = Type.Object({
  report: Type.Optional(Type.String()),
  tenant: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  /** Of a file of a dataset: the day that it is of. */
  date: Type.Optional(Type.Union([Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), Type.Null()])),
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
  zone: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  source: Type.Optional(Type.String()),
  statement: Type.Optional(Type.String()),
  recordCount: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  exportedAt: Type.Optional(Type.String()),
});
const MANIFEST_FORMAT = 'channelscope-export-manifest';
const StatedByManifest = Type.Object({
  format: Type.Literal(MANIFEST_FORMAT),
  version: Type.Integer(),
  sha256: Type.String(),
  columns: Type.Array(Type.String()),
  content: Type.Object({ csv: Type.Optional(CsvDialect) }),
  connection: Type.Union([
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: 80 }),
      address: Type.String({ minLength: 1, maxLength: 2048 }),
    }),
    Type.Null(),
  ]),
});

/** What is known of a file before its records are read. */
export interface StatedFacts {
  readonly report: ReportKind | null;
  readonly tenant: number | null;
  readonly period: Period | null;
  /** The zone of the period, and of dates that carry none. */
  readonly zone: string | null;
  readonly state: string | null;
  readonly recordCount: number | null;
  readonly exportedAtMs: number | null;
  readonly connection: { readonly name: string; readonly address: string } | null;
  /** It is a result of SQL, or a summary that was computed. */
  readonly isDerived: boolean;
  /** The file's own columns, where they are known. */
  readonly columns: readonly string[] | null;
  /** How the file's CSV was written, where that is known. */
  readonly csv: CsvDialect | null;
}

export const NOTHING_STATED: StatedFacts = {
  report: null,
  tenant: null,
  period: null,
  zone: null,
  state: null,
  recordCount: null,
  exportedAtMs: null,
  connection: null,
  isDerived: false,
  columns: null,
  csv: null,
};

/** Reads the head of a JSON export: its text up to the list of records. What doesn't fit counts as not stated. */
export function readStatedHead(head: string): StatedFacts {
  try {
    return toFacts(JSON.parse(`${head.replace(/^\ufeff/, '')}[]}`));
  } catch {
    return NOTHING_STATED;
  }
}

/** Reads what a Parquet file says in its own metadata; the number of its rows is always stated. */
export function readStatedParquet({
  about,
  rowCount,
}: {
  readonly about: string | null;
  readonly rowCount: number;
}): StatedFacts {
  return { ...toFacts(about === null ? null : tryParse(about)), recordCount: rowCount };
}

/** What the manifest of a dataset says of one of its files. */
export function toDatasetFacts(
  { connection }: Pick<DatasetManifest, 'connection'>,
  { report, date, state, records, writtenAt }: DatasetDay,
): StatedFacts {
  const { name, address, tenant } = connection;
  const stated = { report, date, zone: 'UTC', state, tenant, recordCount: records, exportedAt: writtenAt };
  return { ...toFacts(stated), connection: { name, address } };
}

/** A manifest that describes a file, with the file's SHA-256 in hex. */
export interface Manifest {
  readonly sha256: string;
  readonly facts: StatedFacts;
}

/** Reads a manifest; null for anything else. Throws `imports.unreadable` for one that says what can't be. */
export function readManifest(text: string): Manifest | null {
  const value = tryParse(text);
  if (!isJsonObject(value) || value['format'] !== MANIFEST_FORMAT) return null;
  if (!Value.Check(StatedByManifest, value) || !Value.Check(Stated, value) || !hasRealPeriod(value)) {
    throw toUnreadable(
      "The manifest beside it can't be used: a part of it is missing, too long, too large, or no date. Export the file again; to import it as it is, move the manifest away.",
    );
  }
  const { sha256, columns, content, connection } = value;
  return { sha256, facts: { ...toFacts(value), columns, csv: content.csv ?? null, connection } };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** True where a period is stated in full, or not at all. */
function hasRealPeriod(stated: Static<typeof Stated>): boolean {
  const { startDate, endDate, zone } = stated;
  if (zone !== undefined && !isTimeZone(zone)) return false;
  if (startDate === undefined && endDate === undefined) return true;
  return toPeriod(stated, zone ?? null) !== null;
}

function toFacts(value: unknown): StatedFacts {
  if (!Value.Check(Stated, value)) return NOTHING_STATED;
  const { report, tenant, state, source, statement, recordCount, exportedAt } = value;
  const zone = value.zone !== undefined && isTimeZone(value.zone) ? value.zone : null;
  const exportedAtMs = exportedAt === undefined ? NaN : Date.parse(exportedAt);
  return {
    ...NOTHING_STATED,
    report: REPORT_KINDS.find((kind) => kind === report) ?? null,
    tenant: tenant ?? null,
    period: toPeriod(value, zone),
    zone,
    state: state ?? null,
    recordCount: recordCount ?? null,
    exportedAtMs: Number.isFinite(exportedAtMs) ? exportedAtMs : null,
    isDerived: statement !== undefined || source === 'computed',
  };
}

function toPeriod({ date = null, ...stated }: Static<typeof Stated>, zone: string | null): Period | null {
  if (zone === null) return null;
  const day = date === null ? {} : { startDate: `${date} 00:00:00`, endDate: `${date} 23:59:59` };
  const { startDate = '', endDate = '' } = { ...day, ...stated };
  const fromMs = fromWireDate(startDate, zone);
  const toMs = fromWireDate(endDate, zone);
  if (typeof fromMs !== 'number' || typeof toMs !== 'number' || toMs < fromMs) return null;
  if (!isSensibleInstant(fromMs) || !isSensibleInstant(toMs)) return null;
  return { startDate, endDate, fromMs, toMs, zone };
}
