import { Type, type Static } from 'typebox';
import { ErrorInfo } from '../error-info.ts';
import { DownloadPlan } from './download.ts';
import { ReadingOutcome, Remark } from './snapshot.ts';
import { PackSignature } from '../exports/export-options.ts';
import { ZoneFinding } from '../connections/connection.ts';
import { Nullable } from '../nullable.ts';

/** One named step of a connection test. */
export const TestStep = Type.Object({
  name: Type.Union([
    Type.Literal('reach'),
    Type.Literal('token'),
    Type.Literal('status'),
    Type.Literal('inbound-detail'),
    Type.Literal('inbound-summary'),
    Type.Literal('outbound-detail'),
    Type.Literal('outbound-summary'),
  ]),
  state: Type.Union([
    Type.Literal('waiting'),
    Type.Literal('running'),
    Type.Literal('passed'),
    Type.Literal('warned'),
    Type.Literal('failed'),
  ]),
  durationMs: Nullable(Type.Integer()),
  /** Selects the words; `values` fill them. */
  detail: Type.String(),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  error: Nullable(ErrorInfo),
});
export type TestStep = Static<typeof TestStep>;

/** What an import brought. */
export const ImportOutcome = Type.Object({
  fileName: Type.String(),
  fileSha256: Type.String(),
  /** The connection, or the place of imported records, that has them now. */
  connectionId: Type.String(),
  connectionName: Type.String(),
  snapshotIds: Type.Array(Type.Integer()),
  recordCount: Type.Integer(),
  /** Columns of the file that are no fields of the service, such as a person's own names and marks: they are not imported. */
  leftOut: Type.Array(Type.String()),
  /** What is to be known at once of how the file's dates were read. */
  remarks: Type.Array(Remark),
});
export type ImportOutcome = Static<typeof ImportOutcome>;

/** A long task: all share one registry, one shape, one way to cancel. */
export const Task = Type.Object({
  id: Type.String(),
  kind: Type.Union([
    Type.Literal('download'),
    Type.Literal('export'),
    Type.Literal('connection-test'),
    /** Brings records into the bundled service. */
    Type.Literal('import'),
    /** Brings records into the Library. */
    Type.Literal('library-import'),
    Type.Literal('verify'),
    /** Reads stored pages again. */
    Type.Literal('read-again'),
    /** Fetches a summary report into a snapshot. */
    Type.Literal('summary'),
    /** Forecasts a download. */
    Type.Literal('plan'),
    Type.Literal('zone-check'),
    /** Brings a folder of Parquet up to the cache; it counts days. */
    Type.Literal('dataset'),
    /** Writes the export of a schedule; it counts records. */
    Type.Literal('schedule'),
  ]),
  state: Type.Union([
    /** Registered; its turn has not come. */
    Type.Literal('queued'),
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
    /** A download that a person, or a full disk (`error`), stopped for now; it goes on as a new task. */
    Type.Literal('paused'),
  ]),
  connectionId: Nullable(Type.String()),
  /** Snapshot being filled or exported. */
  snapshotId: Nullable(Type.Integer()),
  /** Units done and expected: records for downloads and exports, steps for tests, bytes for imports; `total` null while unknown. */
  done: Type.Integer(),
  total: Nullable(Type.Integer()),
  /** Units a second over the last seconds. */
  ratePerSecond: Nullable(Type.Number()),
  remainingMs: Nullable(Type.Integer()),
  startedAtMs: Type.Integer(),
  endedAtMs: Nullable(Type.Integer()),
  error: Nullable(ErrorInfo),
  /** Download: set while waiting to try again. */
  retryAtMs: Nullable(Type.Integer()),
  /** Download in slices: requests under way at once, as of the last change; left out where there was never more than one. */
  requestsInFlight: Type.Optional(Type.Integer()),
  /** Export: the finished file's name, and its size in bytes. */
  fileName: Nullable(Type.String()),
  fileBytes: Nullable(Type.Integer()),
  /** Export: SHA-256 of the finished file, in hex. */
  fileSha256: Type.Optional(Type.String()),
  /** Export: where the file is, on a computer whose person chose the place. */
  filePath: Type.Optional(Type.String()),
  /** Export: the name of the manifest beside it. */
  manifestName: Type.Optional(Type.String()),
  /** Export of an evidence pack: how it is signed. */
  signature: Type.Optional(PackSignature),
  /** Export: the first spans that are missing from it, and how much that is altogether. */
  missing: Type.Optional(Type.Array(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() }))),
  missingMs: Type.Optional(Type.Integer()),
  /** Export: texts that were cut, since a cell of the format holds no more. */
  cutTexts: Type.Optional(Type.Integer()),
  /** Export: characters that the format can't hold, such as NUL; the replacement character stands in their place. */
  replacedCharacters: Type.Optional(Type.Integer()),
  /** Export: characters in it that change the order in which others are shown, such as `U+202E`. */
  directionMarks: Type.Optional(Type.Array(Type.String())),
  /** Connection test only. */
  steps: Type.Array(TestStep),
  /** Result of a plan. */
  plan: Type.Optional(DownloadPlan),
  /** Result of a zone check. */
  zoneFinding: Type.Optional(ZoneFinding),
  /** Import into the Library: what it brought, once it is over. */
  importOutcome: Type.Optional(ImportOutcome),
  /** What reading stored pages again did, once it is over or was cancelled. */
  readingOutcome: Type.Optional(ReadingOutcome),
});
export type Task = Static<typeof Task>;
