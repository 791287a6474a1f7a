import type { RecordDetail } from '../../../common/model/record.ts';
import type { RowList } from '../scan/materialise-view.ts';

/** Reads a view batch after batch; the next one is asked for only when the caller wants it. Throws the signal's reason once it is aborted. */
export async function* readInBatches(options: {
  open: () => Promise<RowList>;
  read: (view: RowList, start: number) => Promise<RecordDetail[]>;
  signal: AbortSignal;
}): AsyncGenerator<RecordDetail[]> {
  options.signal.throwIfAborted();
  const view = await options.open();
  for (let start = 0; start < view.rowCount;) {
    const rows = await options.read(view, start);
    options.signal.throwIfAborted();
    if (rows.length === 0) return;
    yield rows;
    start += rows.length;
  }
}
