import { Type, type Static } from 'typebox';
import { REPORT_KINDS } from '../../reporting/reports.ts';
import { ErrorInfo } from '../error-info.ts';
import { ImportFault } from './import-fault.ts';
import { Nullable } from '../nullable.ts';
import { QuirkName, Simulation } from './simulation.ts';

/** The bundled reporting service as the window sees it; its credentials go to the keychain, not here. */
export const LocalServiceState = Type.Object({
  state: Type.Union([
    Type.Literal('stopped'),
    Type.Literal('starting'),
    Type.Literal('running'),
    Type.Literal('stopping'),
    /** It ended unexpectedly and is started again at `restartAtMs`. */
    Type.Literal('crashed'),
    Type.Literal('failed'),
  ]),
  url: Nullable(Type.String()),
  tenant: Type.Integer(),
  inboundRecords: Nullable(Type.Integer()),
  outboundRecords: Nullable(Type.Integer()),
  storeBytes: Nullable(Type.Integer()),
  startedAtMs: Nullable(Type.Integer()),
  /** New sample traffic every second. */
  live: Type.Boolean(),
  /** Records of both directions that arrived in a second, over the last seconds; null while unknown. */
  trafficPerSecond: Nullable(Type.Number()),
  /** Where its records and credentials are. */
  dataFolder: Type.String(),
  /** Both last until the application ends. */
  simulation: Simulation,
  quirks: Type.Array(QuirkName),
  /** Set while it waits to be started again after a crash. */
  restartAtMs: Nullable(Type.Integer()),
  error: Nullable(ErrorInfo),
});
export type LocalServiceState = Static<typeof LocalServiceState>;

/** A request that the bundled service handled: nothing of what was sent. */
export const ServiceRequest = Type.Object({
  atMs: Type.Integer(),
  method: Type.String(),
  /** The pattern of the path, never the address as sent. */
  route: Type.String(),
  /** The report that was asked for; kinds that share an identifier are one report. */
  report: Nullable(Type.Object({ identifier: Type.String(), kinds: Type.Array(Type.Enum(REPORT_KINDS)) })),
  status: Type.Integer(),
  durationMs: Type.Number(),
});
export type ServiceRequest = Static<typeof ServiceRequest>;

/** What an import of detail records into the bundled service did. */
export const ImportReport = Type.Object({
  /** Lines (CSV, NDJSON) or entries (JSON) read so far. */
  lines: Type.Integer(),
  added: Type.Integer(),
  /** Records that the service has already. */
  known: Type.Integer(),
  rejected: Type.Integer(),
  /** The first 1,000 rejected lines with their number from 1, and why. */
  problems: Type.Array(Type.Object({ line: Type.Integer(), faults: Type.Array(ImportFault) })),
});
export type ImportReport = Static<typeof ImportReport>;

/** An import into the bundled service, running or the last one of this run. */
export const RecordImport = Type.Object({
  /** The task that cancels it. */
  taskId: Type.String(),
  fileName: Type.String(),
  state: Type.Union([
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('cancelled'),
    Type.Literal('failed'),
  ]),
  bytesRead: Type.Integer(),
  totalBytes: Type.Integer(),
  /** Its problems come once the import has ended. */
  report: ImportReport,
  error: Nullable(ErrorInfo),
});
export type RecordImport = Static<typeof RecordImport>;
