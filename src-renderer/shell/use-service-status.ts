import { watch } from 'vue';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useLocalServiceStore } from '../stores/connections/local-service.ts';
import { useStatusStore } from '../stores/connections/status.ts';

/** Refreshes the built-in service's status as soon as it is back or ends: until the next poll it would look otherwise. */
export function useServiceStatus(): void {
  const service = useLocalServiceStore();
  const connections = useConnectionsStore();
  const status = useStatusStore();
  watch(
    () => service.state?.state,
    (state, before) => {
      const isBack = state === 'running' && before !== undefined;
      const hasEnded =
        state !== 'running' && state !== 'stopping' && (before === 'running' || before === 'stopping');
      if ((isBack || hasEnded) && connections.active?.kind === 'local') void status.refresh();
    },
  );
}
