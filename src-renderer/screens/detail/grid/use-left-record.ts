import { onBeforeRouteLeave } from 'vue-router';
import { toRowKey } from '../../../format/row-key.ts';
import { findNear, type PlacedView, type ReadRows } from './find-near.ts';

/** The record that was selected as the table was left, and its place. */
interface LeftRecord {
  readonly key: string;
  readonly place: number;
}
/** What is kept with each step of the browser's history; the router notes there which address it is of. */
interface HistoryStep {
  readonly current?: string;
  readonly leftRecord?: LeftRecord;
}

interface LeftParts {
  readView(): PlacedView | null;
  readRows: ReadRows;
  /** What is selected; null for nothing. */
  readLeft(): { readonly key: string | null; readonly place: number | null };
  show(place: number): void;
}

const readStep = (): HistoryStep => (window.history.state ?? {}) as HistoryStep;

/** Selects the record again that was selected when another screen was opened, on the way back from there. */
export function useLeftRecord({ readView, readRows, readLeft, show }: LeftParts) {
  let wanted = readStep().leftRecord ?? null;

  onBeforeRouteLeave((_to, { fullPath }) => {
    const { key, place } = readLeft();
    // On the way back the step is another one already.
    if (readStep().current !== fullPath) return;
    const leftRecord = key === null || place === null ? undefined : { key, place };
    window.history.replaceState({ ...readStep(), leftRecord }, '');
  });

  return {
    /** Has to be called whenever rows have arrived. */
    async onRows(): Promise<void> {
      const [view, left] = [readView(), wanted];
      if (view === null || left === null) return;
      wanted = null;
      const isIt = (row: Parameters<typeof toRowKey>[0]): boolean => toRowKey(row) === left.key;
      const isWanted = (): boolean => readView()?.viewId === view.viewId && readLeft().key === null;
      const place = await findNear(view, left.place, { isIt, isWanted, readRows });
      if (place !== null && isWanted()) show(place);
    },
  };
}
