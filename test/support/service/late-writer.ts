import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../src-main/service/sample/random.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';

const WRITE_EVERY_MS = 100;

/** Writes records into a period that others read, each known by its response time, in whole microseconds from 1. */
export interface LateWriter {
  /** Response times of the records that were certainly there at this moment. */
  listWritten(): ReadonlySet<number>;
  /** The highest that may be there: whether a write that was cut off was kept is not known. */
  getLast(): number;
  stop(): Promise<void>;
}

export const LATE_ORIGIN = 'late';

/** Begins to write, one inbound record at a time, anywhere in the period; goes on whatever becomes of its database. */
export function startLateWriter(
  store: RecordStore,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  random: Random,
): LateWriter {
  const written = new Set<number>();
  let last = 0;
  let isStopped = false;
  const write = async (): Promise<void> => {
    while (!isStopped) {
      last += 1;
      const record = {
        dateMs: fromMs + Math.floor(random() * (toMs - fromMs)),
        session: 1,
        channel: 1,
        service: 1,
        origin: LATE_ORIGIN,
        responseCode: 200,
        responseTimeUs: last,
        botLatencyMs: 1,
      };
      const isKept = await store.writeBatch({ inbound: [record], outbound: [] }).then(
        () => true,
        (error: unknown) => {
          if (!store.isTransientError(error)) throw error;
          return false;
        },
      );
      if (isKept) written.add(last);
      await delay(WRITE_EVERY_MS);
    }
  };
  const writing = write();
  return {
    listWritten: () => new Set(written),
    getLast: () => last,
    stop: async () => {
      isStopped = true;
      await writing;
    },
  };
}
