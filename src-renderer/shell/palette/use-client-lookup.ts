import { watchDebounced } from '@vueuse/core';
import { computed, watch, type Ref } from 'vue';
import { MessagesSquare, UserRound } from '@lucide/vue';
import { useI18n } from 'vue-i18n';
import type { Conversation } from '../../../src-main/common/model/records/conversation.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { useBackend } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';
import { toAddress } from '../../filters/filter-address.ts';
import { formatDayClock, formatCount } from '../../format/formats.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';
import type { PaletteEntry } from './palette-entries.ts';

/** Shorter texts are in too many names. */
const MIN_CHARACTERS = 3;
const MAX_CHARACTERS = 200;
const TYPING_MS = 250;
/** The newest conversations that are listed by themselves. */
const MAX_LISTED = 5;

/** Looks a typed text up as part of a client's name: the conversations of the window's period, each with its outcome. */
export function useClientLookup(readTyped: () => string): Readonly<Ref<readonly PaletteEntry[]>> {
  const backend = useBackend();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const { t } = useI18n();
  const { value: found, ask, clear } = createReading<readonly PaletteEntry[]>();

  function toEntry(conversation: Conversation): PaletteEntry {
    const { sessionId, client, firstMs, outcome, isUnanswered } = conversation;
    const words =
      outcome === 'lost' && isUnanswered ? t('palette.unanswered') : t(`conversations.outcomes.${outcome}`);
    return {
      id: `conversation ${sessionId}`,
      group: 'conversations',
      label: t('palette.conversation', { client, time: formatDayClock(firstMs, clock.zone), outcome: words }),
      icon: MessagesSquare,
      keys: [],
      action: { kind: 'session', sessionId, connectionId: null },
    };
  }

  async function look(typed: string, signal: AbortSignal): Promise<readonly PaletteEntry[] | null> {
    const { active } = connections;
    if (active === null) return null;
    // Typing goes on within the minute, and the same period is found only once.
    const { fromMs, toMs } = periods.toPeriod(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS, active);
    const filter: RecordFilter = { conditions: [{ field: 'client', text: typed }] };
    const { viewId, rowCount } = await backend.call('conversations/open', {
      connectionId: active.id,
      fromMs,
      toMs: toMs + SECOND_MS,
      filter,
      order: { column: 'start', descending: true },
    });
    try {
      if (signal.aborted || rowCount === 0) return null;
      const rows = await backend.call('conversations/read-rows', { viewId, offset: 0, limit: MAX_LISTED });
      const all: PaletteEntry = {
        id: 'client',
        group: 'conversations',
        label: t('palette.client', { text: typed, count: formatCount(rowCount) }, rowCount),
        icon: UserRound,
        keys: [],
        action: { kind: 'go', path: { path: '/conversations', query: toAddress(filter) } },
      };
      return [all, ...rows.map(toEntry)];
    } finally {
      void backend.call('conversations/close', { viewId }).catch(() => undefined);
    }
  }

  watch(readTyped, clear);
  watchDebounced(
    readTyped,
    (text) => {
      const typed = text.trim();
      if (typed.length < MIN_CHARACTERS || typed.length > MAX_CHARACTERS) return;
      // Where it can't be looked up, nothing is claimed of it.
      void ask((signal) => look(typed, signal));
    },
    { debounce: TYPING_MS },
  );

  return computed(() => found.value ?? []);
}
