import { getCurrentScope, onScopeDispose, shallowRef, computed, ref } from 'vue';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { MAX_SESSION_ID_CHARACTERS, type Session } from '../../src-main/common/model/records/conversation.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { useBackend } from '../backend/backend.ts';
import { createReading } from '../composables/use-query.ts';
import { useNarrowWindow } from '../composables/surroundings.ts';
import { useAppStore } from '../stores/window/app.ts';

interface Target {
  readonly snapshotId: number;
  readonly seq: number;
  readonly direction: Direction;
}

/** The record in the inspector, and what is counted of its session. Responses for a record that was left meanwhile are dropped. */
export function useInspector() {
  const backend = useBackend();
  const target = shallowRef<Target | null>(null);
  const reading = createReading<RecordDetail>();
  const { value: record, error, isReading: isLoading } = reading;
  const ofSession = createReading<Session>();
  let readSessionId = '';
  let ownConnectionId: string | null = null;

  /** Without a connection the session is left out. */
  async function select(next: Target, connectionId: string | null): Promise<void> {
    target.value = next;
    ownConnectionId = connectionId;
    error.value = null;
    ofSession.drop();
    const { snapshotId, seq } = next;
    const isRead = await reading.ask(() => backend.call('records/read-record', { snapshotId, seq }));
    if (isRead && connectionId !== null) await readSession(record.value?.sessionId ?? '', connectionId);
  }

  /** Keeps what is known of a session while the selection moves within it. */
  async function readSession(sessionId: string, connectionId: string): Promise<void> {
    if (sessionId === readSessionId) return;
    ofSession.clear();
    readSessionId = '';
    if (sessionId === '') return;
    // The record is there without it, and the next one of the session asks again.
    const isRead = await ofSession.ask(() =>
      backend.call('records/read-session', {
        connectionId,
        sessionId: sessionId.slice(0, MAX_SESSION_ID_CHARACTERS),
        limit: 0,
      }),
    );
    if (isRead) readSessionId = sessionId;
  }

  /** Reads again what couldn't be read. */
  async function retry(): Promise<void> {
    if (target.value !== null) await select(target.value, ownConnectionId);
  }

  /** What a person noted on the record may have changed; the rest of it never does. */
  async function readMark(): Promise<void> {
    const shown = target.value;
    if (shown === null || isLoading.value) return;
    const { snapshotId, seq } = shown;
    const found = await backend.call('records/read-record', { snapshotId, seq }).catch(() => null);
    if (found !== null && shown === target.value) record.value = found;
  }
  const stop = backend.on('marks/changed', () => void readMark());
  if (getCurrentScope() !== undefined) onScopeDispose(stop);

  function clear(): void {
    readSessionId = '';
    target.value = null;
    reading.clear();
    ofSession.clear();
  }

  return { target, record, session: ofSession.value, error, isLoading, select, retry, clear };
}

/**
 * Whether the inspector is shown: it opens with the first record, and stays closed where the person closed it, also for
 * the next start. Where it covers what it is about, as in a narrow window, it is opened for one record at a time.
 */
export function useInspectorPanel(hasRecord: () => boolean) {
  const app = useAppStore();
  const isNarrow = useNarrowWindow();
  const isOver = ref(false);
  /** Opened before there was a record to show. */
  const isAsked = ref(false);
  const isOpen = computed(() =>
    isNarrow.value ? isOver.value : (app.settings?.inspectorOpen ?? true) && (hasRecord() || isAsked.value),
  );

  function setOpen(open: boolean): void {
    if (isNarrow.value) isOver.value = open;
    else if (isOpen.value !== open) {
      isAsked.value = open;
      void app.update({ inspectorOpen: open });
    }
  }

  return { isOpen, setOpen, isOver: isNarrow } as const;
}
