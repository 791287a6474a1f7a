import { watchDebounced } from '@vueuse/core';
import { watch, type Ref } from 'vue';
import { MAX_SESSION_ID_CHARACTERS } from '../../../src-main/common/model/records/conversation.ts';
import { findGuid, isGuid } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';
import { useConnectionName } from '../../messages/connection-name.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';

/** A session that a typed text names. */
export interface FoundSession {
  readonly sessionId: string;
  /** Null until it is known. */
  readonly isCached: boolean | null;
  /** Another connection than the active one, which alone has it cached; null where there is none. */
  readonly elsewhere: { readonly connectionId: string; readonly name: string } | null;
}

/** Shorter texts are words that somebody looks for. */
const MIN_CHARACTERS = 6;
const TYPING_MS = 150;

/**
 * Looks a typed text up as a session: of the active connection, then of the others. A GUID is one in any case, whatever
 * was pasted around it; another text only where it is cached.
 */
export function useSessionLookup(readTyped: () => string): Readonly<Ref<FoundSession | null>> {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const toConnectionName = useConnectionName();
  const { value: found, ask, drop } = createReading<FoundSession>();

  async function look(sessionId: string, signal: AbortSignal): Promise<FoundSession | null> {
    const { active, list } = connections;
    if (active === null) return found.value;
    for (const connection of [active, ...list.filter(({ id }) => id !== active.id)]) {
      const question = { connectionId: connection.id, sessionId, limit: 0 };
      const { inbound, outbound } = await backend.call('records/read-session', question);
      if (signal.aborted) return null;
      if (inbound.requests + outbound.requests === 0) continue;
      const name = toConnectionName(connection);
      const elsewhere = connection.id === active.id ? null : { connectionId: connection.id, name };
      return { sessionId, isCached: true, elsewhere };
    }
    return isGuid(sessionId) ? { sessionId, isCached: false, elsewhere: null } : null;
  }

  watch(readTyped, (typed) => {
    drop();
    const sessionId = findGuid(typed);
    found.value = sessionId === null ? null : { sessionId, isCached: null, elsewhere: null };
  });
  watchDebounced(
    readTyped,
    (typed) => {
      const sessionId = findGuid(typed) ?? typed.trim();
      const { length } = sessionId;
      if (length < MIN_CHARACTERS || length > MAX_SESSION_ID_CHARACTERS || /\s/.test(sessionId)) return;
      // Where it can't be looked up, nothing is claimed of it.
      void ask((signal) => look(sessionId, signal));
    },
    { debounce: TYPING_MS },
  );

  return found;
}
