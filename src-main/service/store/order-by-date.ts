/** Places of the records, oldest first and otherwise as they are given. They mostly come in that order. */
export function orderByDate(records: readonly { readonly dateMs: number }[]): Uint32Array {
  const order = Uint32Array.from(records, (_record, index) => index);
  const dateOf = (index: number): number => records[index]?.dateMs ?? 0;
  const isOrdered = records.every((record, index) => index === 0 || dateOf(index - 1) <= record.dateMs);
  return isOrdered ? order : order.sort((a, b) => dateOf(a) - dateOf(b));
}
