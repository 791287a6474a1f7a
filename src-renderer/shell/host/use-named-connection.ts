import { watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { toQueryText } from '../../address/query-text.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';

/**
 * Chooses the connection that an address names (`?connection=`), as the lists of recent connections in the dock and the
 * taskbar do, and takes it out of the address. One that isn't there any more changes nothing.
 */
export function useNamedConnection(): void {
  const route = useRoute();
  const router = useRouter();
  const connections = useConnectionsStore();

  watch(
    () => (connections.isLoaded ? toQueryText(route.query, 'connection') : ''),
    async (id) => {
      if (id === '') return;
      const query = { ...route.query };
      delete query['connection'];
      await router.replace({ path: route.path, query });
      if (connections.list.some((one) => one.id === id))
        await connections.activate(id).catch(() => undefined);
    },
    { immediate: true },
  );
}
