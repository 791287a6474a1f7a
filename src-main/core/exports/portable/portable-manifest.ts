import { Type, type Static } from 'typebox';
import { ErrorInfo } from '../../../common/model/error-info.ts';
import { Certificate } from '../../../common/model/cache/download.ts';
import { ReportKindSchema } from '../../../common/model/cache/snapshot.ts';
import { ConnectionFamilies } from '../../../common/model/connections/family-changes.ts';
import { ConnectionPlans } from '../../../common/model/connections/planned.ts';
import { MAX_SERVICE_LEVELS, ServiceLevel } from '../../../common/model/connections/service-level.ts';
import { ConnectionOutcomes } from '../../../common/reporting/outcome.ts';
import { MAX_INSTANT_MS, MIN_INSTANT_MS } from '../../../common/model/period.ts';

export const PORTABLE_FORMAT = 'channelscope-portable-snapshot';
export const PORTABLE_VERSION = 1;
export const MANIFEST_ENTRY = 'manifest.json';
/** Holds the SHA-256 of the manifest, in hex. */
export const SEAL_ENTRY = 'manifest.sha256';
/** A ZIP without its longer forms has room for so many, and some more. */
export const MAX_PAGES = 60_000;

/** Why an entry that can be read is none of its snapshot. */
export const LEFT_OUT = ['seen-at-cut', 'before-period', 'after-period'] as const;

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** Every field has the limits of where it ends up: the file may come from anywhere. */
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Instant = Type.Integer({ minimum: MIN_INSTANT_MS, maximum: MAX_INSTANT_MS });
const Text = Type.String({ maxLength: 10_000 });
const Period = Type.Object({
  startDate: Type.String({ maxLength: 30 }),
  endDate: Type.String({ maxLength: 30 }),
  fromMs: Instant,
  toMs: Instant,
  zone: Type.String({ maxLength: 100 }),
});
const Remark = Type.Object({
  code: Type.String({ maxLength: 100 }),
  count: Type.Optional(Count),
  detail: Type.Optional(Text),
});
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Page = Type.Object({
  /** Name of the entry that holds its bytes as received. */
  path: Type.String({ pattern: '^snapshots/\\d{1,4}/pages/\\d{6}\\.json$' }),
  bytes: Count,
  sha256: Sha256,
  cursorSent: Text,
  status: Count,
  requestedAtMs: Instant,
  receivedAtMs: Instant,
  sliceNumber: Count,
  walkNumber: Count,
  sizeAsked: nullable(Count),
  entryCount: Count,
  recordCount: Count,
  /** Entries at its beginning that an earlier page of the snapshot holds. */
  knownEntries: Count,
  /** Entries that are left out of the snapshot, by their place in the page. */
  leftOut: Type.Array(
    Type.Object({
      index: Count,
      reason: Type.Enum([...LEFT_OUT]),
      text: Text,
    }),
  ),
});

/** The records of the pages once more, as Parquet that other programs read. */
const PortableRecords = Type.Object({
  path: Type.String({ pattern: '^snapshots/\\d{1,4}/records\\.parquet$' }),
  bytes: Count,
  sha256: Sha256,
  recordCount: Count,
});
export type PortableRecords = Static<typeof PortableRecords>;

const Slice = Type.Object({
  sliceNumber: Count,
  fromMs: Instant,
  toMs: Instant,
  startDate: Text,
  endDate: Text,
});

const Download = Type.Object({
  queuedAtMs: Instant,
  endedAtMs: nullable(Instant),
  sliceDays: nullable(Type.Number({ minimum: 1 / 24, maximum: 366 })),
  askedStart: Text,
  baseAddress: Text,
  reportIdentifier: Text,
  pageSize: nullable(Count),
  forecastTotal: nullable(Count),
  resumedCount: Count,
  failure: nullable(ErrorInfo),
  slices: Type.Array(Slice),
});

export const PortableSnapshot = Type.Object({
  tenant: Count,
  report: ReportKindSchema,
  period: Period,
  state: Type.Enum(['complete', 'incomplete', 'failed']),
  recordCount: Count,
  totalDocument: nullable(Count),
  startedAtMs: Instant,
  fetchedAtMs: nullable(Instant),
  stillOpen: Type.Boolean(),
  settledToMs: nullable(Instant),
  failure: nullable(Text),
  name: Type.String({ maxLength: 200 }),
  note: Type.String({ maxLength: 4000 }),
  remarks: Type.Array(Remark),
  /** Of a detail report. */
  download: nullable(Download),
  certificate: nullable(Certificate),
  pages: Type.Array(Page, { maxItems: MAX_PAGES }),
  records: PortableRecords,
});
export type PortableSnapshot = Static<typeof PortableSnapshot>;

/** What a portable file says of itself; every other entry of the ZIP is one that it names. */
export const PortableManifest = Type.Object({
  format: Type.Literal(PORTABLE_FORMAT),
  version: Type.Literal(PORTABLE_VERSION),
  application: Text,
  applicationVersion: Text,
  madeAtMs: Instant,
  /** Where the records were received; null for a connection that was gone. */
  connection: nullable(
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: 80 }),
      address: Type.String({ minLength: 1, maxLength: 2048 }),
      /** What its people said counts as failed, and made of families of errors. */
      outcomes: Type.Optional(ConnectionOutcomes),
      families: Type.Optional(ConnectionFamilies),
      /** And what they planned, marked and agreed. */
      plans: Type.Optional(ConnectionPlans),
      serviceLevels: Type.Optional(Type.Array(ServiceLevel, { maxItems: MAX_SERVICE_LEVELS })),
    }),
  ),
  snapshots: Type.Array(PortableSnapshot, { minItems: 1, maxItems: 1000 }),
});
export type PortableManifest = Static<typeof PortableManifest>;
