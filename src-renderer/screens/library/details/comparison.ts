import type { Output } from '../../../../src-main/common/contract/index.ts';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { RefreshedPair } from '../../../stores/analysis/comparisons.ts';
import { DETAIL_FIELD_NAMES } from '../../../../src-main/common/reporting/field-names.ts';

type Difference = Output<'snapshots/compare'>['differences'][number];

/** Fields with their names as the specification spells them. */
const FIELDS: readonly (readonly [Exclude<keyof RecordRow, 'mark' | 'values'>, string])[] = [
  ['dateText', DETAIL_FIELD_NAMES.dateText[0]],
  ['channel', DETAIL_FIELD_NAMES.channel[0]],
  ['service', DETAIL_FIELD_NAMES.service[0]],
  ['client', DETAIL_FIELD_NAMES.client[0]],
  ['responseTimeMs', DETAIL_FIELD_NAMES.responseTimeMs[0]],
  ['responseCode', DETAIL_FIELD_NAMES.responseCode[0]],
  ['error', DETAIL_FIELD_NAMES.error[0]],
  ['origin', DETAIL_FIELD_NAMES.origin[0]],
  ['botLatencyMs', DETAIL_FIELD_NAMES.botLatencyMs[0]],
  ['actionId', DETAIL_FIELD_NAMES.actionId[0]],
  ['payloadPreview', DETAIL_FIELD_NAMES.payload[0]],
];

/** Returns the pair to compare: a snapshot and the one that it refreshed, or else the newest that refreshed it. */
export function findPair(snapshot: Snapshot, snapshots: readonly Snapshot[]): RefreshedPair | null {
  const older = snapshots.find(({ id }) => id === snapshot.refreshOf);
  if (older !== undefined) return { older, newer: snapshot };
  const newer = snapshots
    .filter(({ refreshOf }) => refreshOf === snapshot.id)
    .sort((a, b) => b.fetchedOrder - a.fetchedOrder || b.id - a.id)[0];
  return newer === undefined ? null : { older: snapshot, newer };
}

/** Whether all of the newer one has come: what it lacks would be taken for removed. */
export function isComparable({ newer }: RefreshedPair): boolean {
  return newer.state === 'complete';
}

/** Returns the fields of a changed record as `name: before → after`; for others what identifies them. */
export function listChanges({ older, newer }: Difference): readonly string[] {
  if (older === null || newer === null) {
    const row = newer ?? older;
    return row === null ? [] : [`${String(row.responseCode ?? '–')} · ${row.client}`];
  }
  return FIELDS.filter(([field]) => older[field] !== newer[field]).map(
    ([field, name]) => `${name}: ${String(older[field] ?? '–')} → ${String(newer[field] ?? '–')}`,
  );
}
