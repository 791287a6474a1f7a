import { computed, ref, shallowRef } from 'vue';
import type { RecordDetail, SessionRequest } from '../../../../src-main/common/model/record.ts';
import { useBackend } from '../../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

interface Target {
  readonly snapshotId: number;
  readonly seq: number;
  readonly direction: Direction;
}

/** The record in the inspector with its session. Answers for a record that was left meanwhile are dropped. */
export function useInspector() {
  const backend = useBackend();
  const target = shallowRef<Target | null>(null);
  const record = shallowRef<RecordDetail | null>(null);
  const session = shallowRef<readonly SessionRequest[]>([]);
  const error = shallowRef<ErrorLike | null>(null);
  const loading = ref(false);
  let ticket = 0;

  async function select(next: Target, connectionId: string): Promise<void> {
    const mine = ++ticket;
    target.value = next;
    loading.value = true;
    error.value = null;
    try {
      const { snapshotId, seq } = next;
      const found = await backend.call('records/read-record', { snapshotId, seq });
      if (mine !== ticket) return;
      const isOtherSession = found.sessionId !== record.value?.sessionId;
      record.value = found;
      loading.value = false;
      if (isOtherSession) session.value = [];
      if (found.sessionId === '' || !isOtherSession) return;
      const sessionId = found.sessionId.slice(0, 200);
      const requests = await backend.call('records/read-session', { connectionId, sessionId });
      if (mine === ticket) session.value = requests;
    } catch (thrown) {
      if (mine !== ticket) return;
      loading.value = false;
      error.value = toErrorLike(thrown);
    }
  }

  function clear(): void {
    ticket += 1;
    target.value = null;
    record.value = null;
    session.value = [];
    error.value = null;
    loading.value = false;
  }

  return {
    target: computed(() => target.value),
    record: computed(() => record.value),
    session: computed(() => session.value),
    error: computed(() => error.value),
    loading: computed(() => loading.value),
    select,
    clear,
  };
}
