import { type Static, Type } from 'typebox';
import { REPORT_KINDS } from '../../reporting/reports.ts';
import { ErrorInfo } from '../error-info.ts';
import { Nullable } from '../nullable.ts';
import { ImportFault } from './connection.ts';

/** Ways in which the bundled service can be made to deviate from the specification, as other services do. */
export const QUIRK_NAMES = [
  'always-200-error-text',
  'corrected-spelling',
  'cursor-cycles',
  'cursor-expires',
  'cursor-never-empty',
  'cursor-repeats',
  'cut-body',
  'dates-dotnet',
  'dates-without-zone',
  'duplicate-records',
  'errors-as-json',
  'errors-with-names',
  'html-page',
  'invalid-with-400',
  'late-records',
  'minus-one-no-answer',
  'normal-404',
  'numbers-as-strings',
  'rate-limited',
  'records-as-string',
  'records-key-data',
  'require-token',
  'separate-outbound-summary',
  'slow',
  'small-pages',
  'stalls',
  'status-nested',
  'status-text',
  'token-30s',
  'total-capped',
  'two-99-failed',
  'unauthorised-mid-page',
  'vendor-4-digits',
  'zero-ok-one-failed',
] as const;
/** Those that say in another way which requests failed. */
export const CONVENTION_NAMES = [
  'always-200-error-text',
  'minus-one-no-answer',
  'normal-404',
  'two-99-failed',
  'vendor-4-digits',
  'zero-ok-one-failed',
] as const satisfies readonly (typeof QUIRK_NAMES)[number][];
export const QuirkName = Type.Enum([...QUIRK_NAMES]);
export type QuirkName = (typeof QUIRK_NAMES)[number];

/** What the bundled service's new traffic and status pretend; set from the application only, never over HTTP. */
export const Simulation = Type.Object({
  platformDown: Type.Boolean(),
  connectorDown: Type.Boolean(),
  /** Response times of new traffic are this many times the usual; 1 is none. */
  latencyFactor: Type.Number({ minimum: 1, maximum: 100 }),
  /** New traffic of a channel, a service, or (both null) of everything fails with this share, 0 to 1. */
  errorBurst: Nullable(
    Type.Object({
      channel: Nullable(Type.Integer()),
      service: Nullable(Type.Integer()),
      share: Type.Number({ minimum: 0, maximum: 1 }),
    }),
  ),
  /** New traffic is this many times the usual; 0 is none. */
  trafficFactor: Type.Number({ minimum: 0, maximum: 100 }),
});
export type Simulation = Static<typeof Simulation>;

export const NO_SIMULATION: Simulation = {
  platformDown: false,
  connectorDown: false,
  latencyFactor: 1,
  errorBurst: null,
  trafficFactor: 1,
};

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
