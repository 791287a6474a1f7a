import { computed, onScopeDispose, shallowRef, watch } from 'vue';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';

/** What is listed of another connection. */
export interface OtherIncidents {
  readonly connection: Connection;
  readonly listed: Output<'incidents/list'> | null;
  readonly error: ErrorLike | null;
}

/**
 * The incidents of other connections in a period, one connection after the other: what is known of days that were judged
 * before is there at once. Nobody waits for those of another question.
 */
export function useOtherIncidents(
  others: () => readonly Connection[],
  readPeriod: () => TimeSpan | null,
  /** Another one where everything is to be listed anew. */
  readQuestion: () => string,
) {
  const backend = useBackend();
  const found = shallowRef<ReadonlyMap<string, Omit<OtherIncidents, 'connection'>>>(new Map());
  let listId = '';
  const stop = (): void => {
    if (listId !== '') backend.call('findings/stop-list', { listId }).catch(() => undefined);
    listId = '';
  };

  async function list(ids: readonly string[], period: TimeSpan, isGone: () => boolean): Promise<void> {
    const note = (id: string, own: Omit<OtherIncidents, 'connection'>): void => {
      if (!isGone()) found.value = new Map(found.value).set(id, own);
    };
    const incomplete: string[] = [];
    for (const connectionId of ids) {
      try {
        const listed = await backend.call('incidents/list', { connectionId, period, isKeptOnly: true });
        if (isGone()) return;
        note(connectionId, { listed, error: null });
        if (listed.unjudgedDays > 0) incomplete.push(connectionId);
      } catch (cause) {
        note(connectionId, { listed: null, error: toErrorLike(cause) });
      }
    }
    for (const connectionId of incomplete) {
      if (isGone()) return;
      listId = crypto.randomUUID();
      try {
        const listed = await backend.call('incidents/list', { connectionId, period, listId });
        note(connectionId, { listed, error: null });
      } catch (cause) {
        const before = found.value.get(connectionId)?.listed ?? null;
        note(connectionId, { listed: before, error: toErrorLike(cause) });
      }
    }
  }

  watch(
    () => JSON.stringify([others().map(({ id, incidents }) => [id, incidents]), readQuestion()]),
    (_now, before, onCleanup) => {
      let isGone = false;
      onCleanup(() => {
        isGone = true;
        stop();
      });
      const period = readPeriod();
      const ids = others().map(({ id }) => id);
      if (before !== undefined) found.value = new Map();
      if (period !== null) void list(ids, period, () => isGone);
    },
    { immediate: true },
  );
  onScopeDispose(stop);

  return {
    /** In the order of the connections. */
    lists: computed((): readonly OtherIncidents[] =>
      others().map((connection) => ({
        connection,
        ...(found.value.get(connection.id) ?? { listed: null, error: null }),
      })),
    ),
  };
}
