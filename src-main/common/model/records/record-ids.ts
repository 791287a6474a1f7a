/** Ids of a snapshot's records begin at its number times this: safe integers up to snapshot 2^21. */
export const RECORD_ID_SPAN = 2 ** 32;

/** The id of the record that is `seq`, counted from 0, of its snapshot; the number of records for the first id after them. */
export function toRecordId(snapshotId: number, seq: number): number {
  return snapshotId * RECORD_ID_SPAN + seq;
}

/** The snapshot that an id is of, and the record's place in it. */
export function fromRecordId(recordId: number): { readonly snapshotId: number; readonly seq: number } {
  const seq = recordId % RECORD_ID_SPAN;
  return { snapshotId: (recordId - seq) / RECORD_ID_SPAN, seq };
}
