import { ADDRESS_NOT_STATED } from '../../src-main/common/model/cache/snapshot.ts';
import type { Connection } from '../../src-main/common/model/connections/connection.ts';

interface Row {
  readonly snapshotId: number;
  readonly seq: number;
  readonly dateMs: number | null;
}

/** What tells where a record is kept, or was noted on it by a person: nothing of the record itself. */
const OUTSIDE: ReadonlySet<string> = new Set(['snapshotId', 'seq', 'mark']);

/** Tells a record from every other one: its number counts within its snapshot. */
export function toRowKey(record: Pick<Row, 'snapshotId' | 'seq'>): string {
  return `${record.snapshotId}:${record.seq}`;
}

/** Reads what `toRowKey` wrote; null for another text. */
export function fromRowKey(text: string): Pick<Row, 'snapshotId' | 'seq'> | null {
  const [, snapshotId, seq] = /^(\d{1,12}):(\d{1,12})$/.exec(text) ?? [];
  return seq === undefined ? null : { snapshotId: Number(snapshotId), seq: Number(seq) };
}

/** True for rows that show the same. */
export function isEqualRow<Shown extends Row>(a: Shown, b: Shown): boolean {
  const fields = Object.keys(a) as (keyof Shown & string)[];
  return a.dateMs === b.dateMs && fields.every((field) => OUTSIDE.has(field) || a[field] === b[field]);
}

/**
 * True for rows of one record, also where another snapshot has it by now: of the snapshots that overlap, the one that
 * was fetched last counts for a moment. Records without a date are shown of each of them.
 */
export function isSameRecord<Shown extends Row>(a: Shown, b: Shown): boolean {
  if (a.snapshotId === b.snapshotId) return a.seq === b.seq;
  return a.dateMs !== null && isEqualRow(a, b);
}

/** The address of a connection without its protocol; empty for imported records whose file names none. */
export function formatAddress({ kind, baseAddress }: Pick<Connection, 'kind' | 'baseAddress'>): string {
  if (kind === 'imported' && baseAddress === ADDRESS_NOT_STATED) return '';
  return baseAddress.replace(/^https?:\/\//, '');
}
