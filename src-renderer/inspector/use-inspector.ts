import { getCurrentScope, onScopeDispose, ref, shallowRef } from 'vue';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { MAX_SESSION_ID_CHARACTERS, type Session } from '../../src-main/common/model/records/session.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { useBackend } from '../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

interface Target {
  readonly snapshotId: number;
  readonly seq: number;
  readonly direction: Direction;
}

/** The record in the inspector, and what is counted of its session. Responses for a record that was left meanwhile are dropped. */
export function useInspector() {
  const backend = useBackend();
  const target = shallowRef<Target | null>(null);
  const record = shallowRef<RecordDetail | null>(null);
  const session = shallowRef<Session | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  const isLoading = ref(false);
  let ticket = 0;
  let readSessionId = '';

  /** Without a connection the session is left out. */
  async function select(next: Target, connectionId: string | null): Promise<void> {
    const mine = ++ticket;
    target.value = next;
    isLoading.value = true;
    error.value = null;
    try {
      const { snapshotId, seq } = next;
      const found = await backend.call('records/read-record', { snapshotId, seq });
      if (mine !== ticket) return;
      record.value = found;
      isLoading.value = false;
      if (connectionId !== null) await readSession(found.sessionId, connectionId, mine);
    } catch (thrown) {
      if (mine !== ticket) return;
      isLoading.value = false;
      error.value = toErrorLike(thrown);
    }
  }

  /** Keeps what is known of a session while the selection moves within it. */
  async function readSession(sessionId: string, connectionId: string, mine: number): Promise<void> {
    if (sessionId === readSessionId) return;
    session.value = null;
    readSessionId = '';
    if (sessionId === '') return;
    const found = await backend
      .call('records/read-session', {
        connectionId,
        sessionId: sessionId.slice(0, MAX_SESSION_ID_CHARACTERS),
        limit: 0,
      })
      // The record is there without it, and the next one of the session asks again.
      .catch(() => null);
    if (mine !== ticket || found === null) return;
    session.value = found;
    readSessionId = sessionId;
  }

  /** What a person noted on the record may have changed; the rest of it never does. */
  async function readMark(): Promise<void> {
    const mine = ticket;
    const shown = target.value;
    if (shown === null || isLoading.value) return;
    const { snapshotId, seq } = shown;
    const found = await backend.call('records/read-record', { snapshotId, seq }).catch(() => null);
    if (found !== null && mine === ticket) record.value = found;
  }
  const stop = backend.on('marks/changed', () => void readMark());
  if (getCurrentScope() !== undefined) onScopeDispose(stop);

  function clear(): void {
    ticket += 1;
    readSessionId = '';
    target.value = null;
    record.value = null;
    session.value = null;
    error.value = null;
    isLoading.value = false;
  }

  return { target, record, session, error, isLoading, select, clear };
}
