import { watchDebounced } from '@vueuse/core';
import { shallowRef, watch, type Ref } from 'vue';
import { MAX_SESSION_ID_CHARACTERS } from '../../../src-main/common/model/records/session.ts';
import { isGuid } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';

/** A session that a typed text names. */
export interface FoundSession {
  readonly sessionId: string;
  /** Null until it is known. */
  readonly isCached: boolean | null;
}

/** Shorter texts are words that somebody looks for. */
const MIN_CHARACTERS = 6;
const TYPING_MS = 150;

/**
 * Looks a typed text up as a session of the active connection. A GUID is one in any case, another text only where it is
 * cached.
 */
export function useSessionLookup(readTyped: () => string): Readonly<Ref<FoundSession | null>> {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const found = shallowRef<FoundSession | null>(null);
  let ticket = 0;

  async function look(sessionId: string, mine: number): Promise<void> {
    const connectionId = connections.active?.id;
    if (connectionId === undefined) return;
    const { inbound, outbound } = await backend.call('records/read-session', {
      connectionId,
      sessionId,
      limit: 0,
    });
    if (mine !== ticket) return;
    const isCached = inbound.requests + outbound.requests > 0;
    found.value = isCached || isGuid(sessionId) ? { sessionId, isCached } : null;
  }

  watch(readTyped, (typed) => {
    ticket += 1;
    const sessionId = typed.trim();
    found.value = isGuid(sessionId) ? { sessionId, isCached: null } : null;
  });
  watchDebounced(
    readTyped,
    (typed) => {
      const sessionId = typed.trim();
      const { length } = sessionId;
      if (length < MIN_CHARACTERS || length > MAX_SESSION_ID_CHARACTERS || /\s/.test(sessionId)) return;
      // Where it can't be looked up, nothing is claimed of it.
      look(sessionId, ticket).catch(() => undefined);
    },
    { debounce: TYPING_MS },
  );

  return found;
}
