import { computed } from 'vue';
import { compareConnections, type Connection } from '../../src-main/common/model/connections/connection.ts';
import { useAddressChoice } from '../address/window-address.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useI18n } from 'vue-i18n';
import { formatSpan } from '../format/formats.ts';
import { useConnectionName } from '../messages/connection-name.ts';

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

/** What of a period is known of a connection. */
export interface KnownOf {
  readonly connectionId: string;
  readonly missingMs: number;
  /** Nothing of the period is cached. */
  readonly isEmpty: boolean;
}

/** Puts into sentences what can't be known, or can't be added up, over several connections. */
export function useSeveralWords() {
  const { t } = useI18n();
  const toName = useConnectionName();
  const toNames = (connections: readonly Connection[]): string => connections.map(toName).join(', ');

  /** What is missing of which connection. */
  function listMissing(connections: readonly Connection[], known: readonly KnownOf[]): string[] {
    const find = (connection: Connection): KnownOf | undefined =>
      known.find(({ connectionId }) => connectionId === connection.id);
    const empty = connections.filter((connection) => find(connection)?.isEmpty === true);
    const parts = connections.flatMap((connection) => {
      const own = find(connection);
      if (own === undefined || own.isEmpty || own.missingMs === 0) return [];
      return [t('several.missingOf', { name: toName(connection), span: formatSpan(own.missingMs) })];
    });
    return [
      ...(empty.length === 0 ? [] : [t('several.notes.empty', { names: toNames(empty) })]),
      ...(parts.length === 0 ? [] : [t('several.notes.missing', { parts: parts.join(', ') })]),
    ];
  }

  /** In what they differ. With totals also what counts twice in them, and what can't be added up. */
  function listLimits(
    connections: readonly Connection[],
    { owner, hasTotals = false }: { readonly owner: Connection | null; readonly hasTotals?: boolean },
  ): string[] {
    const { zonesDiffer, rulesDiffer, sameTenant } = compareConnections(connections);
    return [
      ...(zonesDiffer && owner !== null ? [t('several.notes.zones', { name: toName(owner) })] : []),
      ...(rulesDiffer ? [t('several.notes.rules')] : []),
      ...(hasTotals ? sameTenant.map((own) => t('several.notes.twice', { names: toNames(own) })) : []),
    ];
  }

  return { toName, listMissing, listLimits };
}
