import { Type, type Static } from 'typebox';
import { Period } from './period.ts';

const ReportKindSchema = Type.Union([
  Type.Literal('inbound-detail'),
  Type.Literal('inbound-summary'),
  Type.Literal('outbound-detail'),
  Type.Literal('outbound-summary'),
]);
export const DetailKindSchema = Type.Union([Type.Literal('inbound-detail'), Type.Literal('outbound-detail')]);
export const DirectionSchema = Type.Union([Type.Literal('inbound'), Type.Literal('outbound')]);

/** Something that had to be tolerated or is worth knowing about a snapshot; `code` selects the words. */
export const Remark = Type.Object({
  code: Type.String(),
  count: Type.Optional(Type.Integer()),
  detail: Type.Optional(Type.String()),
});
export type Remark = Static<typeof Remark>;

export const SnapshotState = Type.Union([
  Type.Literal('downloading'),
  Type.Literal('paused'),
  Type.Literal('complete'),
  /** The walk ended before the service's own end, or with doubt; `remarks` say why. */
  Type.Literal('incomplete'),
  Type.Literal('failed'),
]);
export type SnapshotState = Static<typeof SnapshotState>;

/** One report of one period as it was read from the service and lies in the cache. */
export const Snapshot = Type.Object({
  id: Type.Integer(),
  connectionId: Type.String(),
  tenant: Type.Integer(),
  report: ReportKindSchema,
  period: Period,
  state: SnapshotState,
  recordCount: Type.Integer(),
  /** The newest `totalDocument`; null before the first page. */
  totalDocument: Type.Union([Type.Integer(), Type.Null()]),
  pageCount: Type.Integer(),
  /** Bytes of the pages as received. */
  sizeBytes: Type.Integer(),
  startedAtMs: Type.Integer(),
  /** When the last page arrived; null before the first. */
  fetchedAtMs: Type.Union([Type.Integer(), Type.Null()]),
  idReport: Type.String(),
  nameVisualization: Type.String(),
  remarks: Type.Array(Remark),
  /** Error code of a failed snapshot. */
  failure: Type.Union([Type.String(), Type.Null()]),
  /** Fetched up to "now" at the time: later records may still belong to it (decision 27). */
  stillOpen: Type.Boolean(),
});
export type Snapshot = Static<typeof Snapshot>;
