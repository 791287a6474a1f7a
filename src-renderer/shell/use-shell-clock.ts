import { computed } from 'vue';
import type { ShellClock } from '../components/shell-context.ts';
import { useClock } from '../composables/use-clock.ts';
import { useClockStore } from '../stores/window/clock.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';

const RENEW_INTERVAL_MS = 60_000;

/** The clocks that a screen's header offers; null without a connection. */
export function useShellClock() {
  const clocks = useClockStore();
  const connections = useConnectionsStore();
  const nowMs = useClock(RENEW_INTERVAL_MS);
  return computed<ShellClock | null>(() => {
    const { active } = connections;
    if (active === null) return null;
    return {
      choice: clocks.choice,
      zones: {
        service: clocks.toZone('service', active),
        local: clocks.toZone('local', active),
        utc: clocks.toZone('utc', active),
      },
      nowMs: nowMs.value,
    };
  });
}
