import { AppError } from '../../common/contract/errors.ts';

/** Lists that windows wait for, each of which judges day after day. */
export interface ListWaits {
  /** Does the work until it is stopped; what the same `listId` waited for before is. */
  run<Value>(
    listId: string | undefined,
    work: (signal: AbortSignal | undefined) => Promise<Value>,
  ): Promise<Value>;
  stop(listId: string): void;
}

/** Creates the lists that the windows of one core wait for. */
export function createListWaits(): ListWaits {
  const ends = new Map<string, AbortController>();
  return {
    async run(listId, work) {
      if (listId === undefined) return work(undefined);
      const end = new AbortController();
      ends.get(listId)?.abort();
      ends.set(listId, end);
      try {
        return await work(end.signal);
      } catch (error) {
        if (!end.signal.aborted) throw error;
        throw new AppError('app.cancelled', 'Nobody waits for this list any more.', {}, error);
      } finally {
        if (ends.get(listId) === end) ends.delete(listId);
      }
    },
    stop: (listId) => ends.get(listId)?.abort(),
  };
}
