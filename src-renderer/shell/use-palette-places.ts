import { CalendarDays, Database, Server, TriangleAlert } from '@lucide/vue';
import { computed, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { usePeriodWords } from '../messages/period-words.ts';
import { PERIOD_PRESETS } from '../period/period-selection.ts';
import { useAttentionTitle } from '../screens/overview/attention/attention-title.ts';
import { toAttentionWords } from '../screens/overview/attention/attention-words.ts';
import { useClockStore } from '../stores/clock.ts';
import { useConnectionsStore } from '../stores/connections.ts';
import { useOverviewStore } from '../stores/overview.ts';
import { useSnapshotsStore } from '../stores/snapshots.ts';
import { useSavedFiltersStore } from '../stores/saved-filters.ts';
import type { PaletteEntry } from './palette-entries.ts';
import { toFilterEntries } from './palette-filters.ts';

/** What there is to go to besides screens: saved filters, findings, periods, other connections, and snapshots of this one. */
export function usePalettePlaces(): ComputedRef<readonly PaletteEntry[]> {
  const { t } = useI18n();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const overview = useOverviewStore();
  const savedFilters = useSavedFiltersStore();
  const snapshots = useSnapshotsStore();
  const formatPeriod = usePeriodWords();
  const formatFinding = useAttentionTitle();

  const listFindings = (): PaletteEntry[] =>
    overview.connectionId === connections.active?.id
      ? (overview.attention ?? []).map((item, index) => ({
          id: `finding-${index}`,
          group: 'findings',
          label: `${formatFinding(item)}, ${t(`overview.attention.${item.direction}`)}`,
          icon: TriangleAlert,
          keys: [],
          action: { kind: 'go', path: toAttentionWords(item).target },
        }))
      : [];
  const listPeriods = (): PaletteEntry[] =>
    PERIOD_PRESETS.map((preset) => ({
      id: preset,
      group: 'periods',
      label: t(`period.presets.${preset}`),
      icon: CalendarDays,
      keys: [],
      action: { kind: 'preset', preset },
    }));
  const listConnections = (): PaletteEntry[] =>
    connections.list
      .filter(({ id }) => id !== connections.active?.id)
      .map(({ id, name }) => ({
        id,
        group: 'connections',
        label: t('palette.connection', { name }),
        icon: Server,
        keys: [],
        action: { kind: 'connection', connectionId: id },
      }));
  const listSnapshots = (): PaletteEntry[] =>
    (snapshots.snapshots ?? [])
      .filter(({ connectionId }) => connectionId === connections.active?.id)
      .map((snapshot) => {
        const { id, name, report, period } = snapshot;
        const view = t(`shell.views.${report}`);
        const words = formatPeriod(period, clock.zone);
        return {
          id: `snapshot-${id}`,
          group: 'snapshots',
          label: name === '' ? `${view}, ${words}` : `${name}: ${view}, ${words}`,
          icon: Database,
          keys: [],
          action: { kind: 'snapshot', snapshot },
        };
      });
  const listFilters = (): PaletteEntry[] =>
    toFilterEntries(savedFilters.list, (key, values) => t(key, values ?? {}));
  return computed(() => [
    ...listFilters(),
    ...listFindings(),
    ...listPeriods(),
    ...listConnections(),
    ...listSnapshots(),
  ]);
}
