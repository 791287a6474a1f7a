import { Type, type Static } from 'typebox';
import { ErrorInfo } from '../../../common/contract/errors.ts';
import { Certificate } from '../../../common/model/cache/download.ts';
import { Remark, ReportKindSchema, SnapshotState } from '../../../common/model/cache/snapshot.ts';
import { Period } from '../../../common/model/period.ts';

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
const Count = Type.Integer({ minimum: 0 });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Page = Type.Object({
  /** Name of the entry that holds its bytes as received. */
  path: Type.String({ pattern: '^snapshots/\\d{1,4}/pages/\\d{6}\\.json$' }),
  bytes: Count,
  sha256: Sha256,
  cursorSent: Type.String(),
  status: Type.Integer(),
  requestedAtMs: Type.Integer(),
  receivedAtMs: Type.Integer(),
  sliceNumber: Type.Integer(),
  walkNumber: Type.Integer(),
  sizeAsked: nullable(Type.Integer()),
  entryCount: Count,
  recordCount: Count,
  /** Entries at its beginning that an earlier page of the snapshot holds. */
  knownEntries: Count,
  /** Entries that are left out of the snapshot, by their place in the page. */
  leftOut: Type.Array(
    Type.Object({
      index: Count,
      reason: Type.Enum([...LEFT_OUT]),
      text: Type.String(),
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
  sliceNumber: Type.Integer(),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  startDate: Type.String(),
  endDate: Type.String(),
});

const Download = Type.Object({
  queuedAtMs: Type.Integer(),
  endedAtMs: nullable(Type.Integer()),
  sliceDays: nullable(Type.Integer()),
  askedStart: Type.String(),
  baseAddress: Type.String(),
  reportIdentifier: Type.String(),
  pageSize: nullable(Type.Integer()),
  forecastTotal: nullable(Type.Integer()),
  resumedCount: Type.Integer(),
  failure: nullable(ErrorInfo),
  followedSlices: Type.Array(Slice),
});

export const PortableSnapshot = Type.Object({
  tenant: Type.Integer({ minimum: 0 }),
  report: ReportKindSchema,
  period: Period,
  state: SnapshotState,
  recordCount: Count,
  totalDocument: nullable(Type.Integer()),
  startedAtMs: Type.Integer(),
  fetchedAtMs: nullable(Type.Integer()),
  stillOpen: Type.Boolean(),
  settledToMs: nullable(Type.Integer()),
  failure: nullable(Type.String()),
  name: Type.String(),
  note: Type.String(),
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
  application: Type.String(),
  applicationVersion: Type.String(),
  madeAtMs: Type.Integer(),
  /** Where the records were received; null for a connection that was gone. */
  connection: nullable(Type.Object({ name: Type.String(), address: Type.String() })),
  snapshots: Type.Array(PortableSnapshot, { minItems: 1, maxItems: 1000 }),
});
export type PortableManifest = Static<typeof PortableManifest>;
