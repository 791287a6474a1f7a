/** Tells a record from every other one: its number counts within its snapshot. */
export function toRowKey(record: { readonly snapshotId: number; readonly seq: number }): string {
  return `${record.snapshotId}:${record.seq}`;
}
