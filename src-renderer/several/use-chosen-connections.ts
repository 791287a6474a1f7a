import { computed } from 'vue';
import type { Connection } from '../../src-main/common/model/connections/connection.ts';
import { useAddressChoice } from '../address/use-address-choice.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';

const ALL = 'all';
const SEPARATOR = ',';

/**
 * The connections that a screen shows together, which its address carries: that of the window, all of them, or some. The
 * one of the window is always among them.
 */
export function useChosenConnections() {
  const connections = useConnectionsStore();
  const text = useAddressChoice('connections', (named): named is string => named !== '');
  const named = computed(() => new Set(text.value?.split(SEPARATOR) ?? []));
  const isAll = computed(() => text.value === ALL);
  const chosen = computed((): readonly Connection[] => {
    const own = connections.active;
    if (own === null) return [];
    return connections.list.filter(({ id }) => id === own.id || isAll.value || named.value.has(id));
  });
  return {
    /** In the order of all connections. */
    chosen,
    others: computed(() => chosen.value.filter(({ id }) => id !== connections.active?.id)),
    isAll,
    isSeveral: computed(() => chosen.value.length > 1),
    /** Named in the address, and not saved here. */
    unknownCount: computed(() =>
      isAll.value
        ? 0
        : [...named.value].filter((id) => !connections.list.some((one) => one.id === id)).length,
    ),
    choose(ids: readonly string[]): void {
      const others = ids.filter((id) => id !== connections.active?.id);
      text.value = others.length === 0 ? null : [...ids].join(SEPARATOR);
    },
    chooseAll(): void {
      text.value = ALL;
    },
  };
}
