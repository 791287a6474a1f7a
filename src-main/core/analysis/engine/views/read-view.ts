import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../../../common/contract/errors.ts';
import { streamIds } from '../engine-database.ts';
import type { SqlCondition } from '../filter-sql.ts';
import type { RecordRun } from './find-runs.ts';
import { createRecordList, type RecordList } from './record-list.ts';
import type { ViewConnection } from './view-connection.ts';
import type { ViewOrder } from './view-order.ts';
import { toSliceSql, type ViewSlice } from './view-slices.ts';

/** What is asked right after a view was opened, its charts and counts, comes before rows that nobody waits for. */
const REST_MS = 500;

/** The list of a view while it is being read. */
export interface ViewReading {
  readonly list: RecordList;
  /** Settles when the list is whole; rejects when the reading ended before. */
  readonly whole: Promise<void>;
  /** Settles when the list has so many rows, or is whole; rejects when the reading ended before. */
  waitFor(rowCount: number): Promise<void>;
  readonly isWhole: boolean;
  end(): void;
}

/** A view of runs, oldest first, or turned around: there is nothing to read. */
export function toKnownView(runs: readonly RecordRun[], isDescending: boolean): ViewReading {
  const list = createRecordList();
  for (const { firstId, count } of isDescending ? runs.toReversed() : runs) {
    if (isDescending) list.appendRun(firstId + count - 1, count, -1);
    else list.appendRun(firstId, count, 1);
  }
  const whole = Promise.resolve();
  return { list, whole, waitFor: () => whole, isWhole: true, end: () => undefined };
}

/**
 * Reads the slices of a view one after another into a list: first those that somebody waits for, the rest a moment
 * later. The connection is closed at the end.
 */
export function readView(
  reader: ViewConnection,
  slices: readonly ViewSlice[],
  order: ViewOrder,
  where: SqlCondition,
): ViewReading {
  const { connection } = reader;
  const list = createRecordList();
  const waiting: { readonly rowCount: number; resolve(): void }[] = [];
  const restUntilMs = performance.now() + REST_MS;
  let rest = new AbortController();
  let isWhole = false;
  let isEnded = false;

  const append = (ids: Float64Array): void => {
    list.append(ids);
    for (const one of waiting.splice(0)) {
      if (one.rowCount <= list.rowCount) one.resolve();
      else waiting.push(one);
    }
  };
  const readSlice = async (slice: ViewSlice): Promise<void> => {
    const sql = toSliceSql(slice, order, where);
    if (!slice.isReversed) {
      for await (const ids of streamIds(connection, sql, where.values)) append(ids);
      return;
    }
    const received = createRecordList();
    for await (const ids of streamIds(connection, sql, where.values)) received.append(ids);
    append(received.slice(0, received.rowCount).reverse());
  };
  const takeRest = async (): Promise<void> => {
    const restMs = restUntilMs - performance.now();
    if (waiting.length > 0 || restMs <= 0) return;
    rest = new AbortController();
    await wait(restMs, undefined, { signal: rest.signal, ref: false }).catch(() => undefined);
  };
  const readAll = async (): Promise<void> => {
    try {
      for (const slice of slices) {
        await takeRest();
        if (isEnded) throw new AppError('app.cancelled', 'The reading has ended.');
        await readSlice(slice);
      }
      isWhole = true;
    } finally {
      reader.close();
    }
  };
  const whole = readAll();
  // Whoever reads rows awaits it; a view that nobody reads on must not end the process.
  whole.catch(() => undefined);
  return {
    list,
    whole,
    get isWhole() {
      return isWhole;
    },
    waitFor(rowCount) {
      if (list.rowCount >= rowCount) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<undefined>();
      waiting.push({ rowCount, resolve: () => resolve(undefined) });
      rest.abort();
      return Promise.race([promise, whole]);
    },
    end() {
      isEnded = true;
      rest.abort();
      reader.interrupt();
    },
  };
}
