import {
  AppWindow,
  Bookmark,
  CalendarDays,
  Database,
  FileCode,
  Link,
  MessagesSquare,
  Server,
  Settings2,
  TriangleAlert,
  UserRound,
} from '@lucide/vue';
import { watchDebounced } from '@vueuse/core';
import { computed, type ComputedRef, type Ref, watch } from 'vue';
import { useI18n } from 'vue-i18n';
import type { Conversation } from '../../../src-main/common/model/records/conversation.ts';
import type { RecordFilter, SavedView } from '../../../src-main/common/model/records/record-filter.ts';
import { type SavedStatement, SETTING_ENTRIES } from '../../../src-main/common/model/settings/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { toIncident } from '../../address/record-links.ts';
import { useBackend } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';
import { toAddress } from '../../filters/filter.ts';
import { formatCount, formatDayClock } from '../../format/formats.ts';
import { useConnectionName } from '../../messages/connection-name.ts';
import { useFindingWords } from '../../messages/finding-words.ts';
import { usePeriodWords } from '../../messages/period-words.ts';
import { PERIOD_PRESETS } from '../../period/period-selection.ts';
import { useSettingWords } from '../../settings/settings.ts';
import { useFindingsStore } from '../../stores/analysis/findings.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useSavedViewsStore } from '../../stores/records/kept.ts';
import { useAppStore } from '../../stores/window/app.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';
import type { PaletteEntry, Translate } from './palette-entries.ts';

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

/** What there is to go to besides screens: saved filters and statements, findings, periods, other connections, and snapshots of this one. */
export function usePalettePlaces(): ComputedRef<readonly PaletteEntry[]> {
  const { t } = useI18n();
  const toConnectionName = useConnectionName();
  const app = useAppStore();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const findings = useFindingsStore();
  const savedViews = useSavedViewsStore();
  const snapshots = useSnapshotsStore();
  const formatPeriod = usePeriodWords();
  const settingWords = useSettingWords();
  const { toSpan, toTitle, toWhen } = useFindingWords();

  const listFindings = (): PaletteEntry[] =>
    [...(findings.report?.findings ?? []), ...(findings.report?.resolved ?? [])].map((finding) => ({
      id: `finding-${finding.id}`,
      group: 'findings',
      label: `${toTitle(finding)} · ${finding.endedMs === null ? toWhen(finding, Date.now(), clock.zone) : toSpan(finding, Date.now(), clock.zone)}`,
      icon: TriangleAlert,
      keys: [],
      action: { kind: 'go', path: toIncident(finding, Date.now()) },
    }));
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
      .map((connection) => ({
        id: connection.id,
        group: 'connections',
        label: t('palette.connection', { name: toConnectionName(connection) }),
        icon: Server,
        keys: [],
        action: { kind: 'connection', connectionId: connection.id },
      }));
  const listSnapshots = (): PaletteEntry[] =>
    (snapshots.listed ?? [])
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
  const listSettings = (): PaletteEntry[] =>
    SETTING_ENTRIES.map(({ name, section }) => ({
      id: `setting-${name}`,
      group: 'settings',
      label: `${t(`settings.sections.${section}`)}: ${settingWords.toLabel(name)}`,
      hiddenWords: settingWords.toHelp(name),
      icon: Settings2,
      keys: [],
      action: { kind: 'go', path: `/settings/${section}/${name}` },
    }));
  const listViews = (): PaletteEntry[] =>
    toViewEntries(savedViews.list, (key, values) => t(key, values ?? {}));
  // A browser opens tabs by itself, and the system would lead a link to its page to another program.
  const listDesktopActions = (): PaletteEntry[] =>
    app.info?.host === 'desktop'
      ? [
          {
            id: 'newWindow',
            group: 'actions',
            label: t('palette.newWindow'),
            icon: AppWindow,
            keys: ['N'],
            action: { kind: 'new-window' },
          },
          {
            id: 'share',
            group: 'actions',
            label: t('palette.copyLink'),
            icon: Link,
            keys: [],
            action: { kind: 'share' },
          },
        ]
      : [];
  return computed(() => [
    ...listDesktopActions(),
    ...listFindings(),
    ...listViews(),
    ...toStatementEntries(app.settings?.savedStatements ?? []),
    ...listPeriods(),
    ...listConnections(),
    ...listSnapshots(),
    ...listSettings(),
  ]);
}

/** Returns the entries that open saved views, each in the direction that it was saved for. */
export function toViewEntries(saved: readonly SavedView[], t: Translate): PaletteEntry[] {
  return saved.map((view) => ({
    id: `view ${view.name}`,
    group: 'saved',
    label: t('palette.view', { name: view.name, direction: t(`detail.crumb.${view.direction}`) }),
    icon: Bookmark,
    keys: [],
    action: { kind: 'view', view },
  }));
}

/** Returns the entries that run saved statements on the SQL screen. */
export function toStatementEntries(saved: readonly SavedStatement[]): PaletteEntry[] {
  return saved.map((statement) => ({
    id: `statement ${statement.name}`,
    group: 'statements',
    label: statement.name,
    icon: FileCode,
    keys: [],
    action: { kind: 'statement', statement },
  }));
}
