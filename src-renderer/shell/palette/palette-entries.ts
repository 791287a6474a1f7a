import type { Component } from 'vue';
import type { RouteLocationRaw } from 'vue-router';
import {
  ArrowLeftRight,
  CalendarDays,
  CalendarPlus,
  CircleQuestionMark,
  Clock3,
  Download,
  FingerprintPattern,
  EyeOff,
  Footprints,
  Info,
  Keyboard,
  LayoutGrid,
  MonitorUp,
  Palette,
  PanelLeft,
  RefreshCw,
  Settings,
} from '@lucide/vue';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import type { Clock } from '../../../src-main/common/model/clock.ts';
import type { SavedStatement } from '../../../src-main/common/model/settings/settings.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { PeriodPreset } from '../../period/period-selection.ts';
import type { FoundSession } from './use-session-lookup.ts';
import { MAX_VIEW_KEYS, VIEWS } from '../views.ts';

export type PaletteAction =
  | { readonly kind: 'go'; readonly path: RouteLocationRaw }
  | { readonly kind: 'session'; readonly sessionId: string; readonly connectionId: string | null }
  | { readonly kind: 'control'; readonly control: 'refresh' | 'export' | 'period' }
  | { readonly kind: 'theme' | 'sidebar' | 'switch-connection' | 'shortcuts' }
  | { readonly kind: 'blur' }
  | { readonly kind: 'share' }
  | { readonly kind: 'new-window' }
  | { readonly kind: 'tour' }
  | { readonly kind: 'connection'; readonly connectionId: string }
  | { readonly kind: 'clock'; readonly clock: Clock }
  | { readonly kind: 'statement'; readonly statement: SavedStatement }
  | { readonly kind: 'preset'; readonly preset: PeriodPreset }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot };

export interface PaletteEntry {
  readonly id: string;
  readonly group:
    | 'session'
    | 'views'
    | 'actions'
    | 'filters'
    | 'statements'
    | 'findings'
    | 'periods'
    | 'connections'
    | 'settings'
    | 'snapshots';
  readonly label: string;
  /** Words that find it too, without being shown. */
  readonly hiddenWords?: string;
  readonly icon: Component;
  /** Keys besides Ctrl or Cmd. */
  readonly keys: readonly string[];
  readonly action: PaletteAction;
}

export type Translate = (key: string, values?: Record<string, unknown>) => string;

const ACTIONS: readonly Pick<PaletteEntry, 'id' | 'icon' | 'keys' | 'action'>[] = [
  { id: 'refresh', icon: RefreshCw, keys: ['R'], action: { kind: 'control', control: 'refresh' } },
  { id: 'export', icon: Download, keys: ['E'], action: { kind: 'control', control: 'export' } },
  { id: 'period', icon: CalendarDays, keys: ['P'], action: { kind: 'control', control: 'period' } },
  { id: 'switchConnection', icon: ArrowLeftRight, keys: ['O'], action: { kind: 'switch-connection' } },
  { id: 'clockService', icon: Clock3, keys: [], action: { kind: 'clock', clock: 'service' } },
  { id: 'clockLocal', icon: Clock3, keys: [], action: { kind: 'clock', clock: 'local' } },
  { id: 'clockUtc', icon: Clock3, keys: [], action: { kind: 'clock', clock: 'utc' } },
  { id: 'theme', icon: Palette, keys: ['Shift', 'L'], action: { kind: 'theme' } },
  { id: 'blurTexts', icon: EyeOff, keys: [], action: { kind: 'blur' } },
  { id: 'sidebar', icon: PanelLeft, keys: ['B'], action: { kind: 'sidebar' } },
  { id: 'newSchedule', icon: CalendarPlus, keys: [], action: { kind: 'go', path: '/schedules/new' } },
  { id: 'allConnections', icon: LayoutGrid, keys: [], action: { kind: 'go', path: '/connections' } },
  { id: 'wall', icon: MonitorUp, keys: [], action: { kind: 'go', path: '/wall' } },
  { id: 'shortcuts', icon: Keyboard, keys: [], action: { kind: 'shortcuts' } },
  { id: 'help', icon: CircleQuestionMark, keys: [], action: { kind: 'go', path: '/help' } },
  { id: 'tour', icon: Footprints, keys: [], action: { kind: 'tour' } },
  { id: 'about', icon: Info, keys: [], action: { kind: 'go', path: '/about' } },
];

/** So many snapshots are offered: the newest that match. */
const MAX_PLACES = 50;

/**
 * Returns what the palette offers for the typed text: the session that it names first, then findings. `places` are what
 * else there is to go to; they come last.
 */
export function findPaletteEntries(
  typed: string,
  t: Translate,
  places: readonly PaletteEntry[] = [],
  session: FoundSession | null = null,
): PaletteEntry[] {
  const text = typed.trim();
  const views = VIEWS.map((view, index): PaletteEntry => {
    return {
      id: view.name,
      group: 'views',
      label: t(`shell.views.${view.name}`),
      icon: view.icon,
      keys: index < MAX_VIEW_KEYS ? [String(index + 1)] : [],
      action: { kind: 'go', path: view.path },
    };
  });
  const settings: PaletteEntry = {
    id: 'settings',
    group: 'views',
    label: t('palette.settings'),
    icon: Settings,
    keys: [','],
    action: { kind: 'go', path: '/settings' },
  };
  const actions = ACTIONS.map((action): PaletteEntry => {
    return { ...action, group: 'actions', label: t(`palette.actions.${action.id}`) };
  });
  const found = places
    .filter(({ label, hiddenWords = '', group }) =>
      matches(`${label} ${hiddenWords}`, text, t(`palette.groups.${group}`)),
    )
    .slice(0, MAX_PLACES);
  const findings = found.filter(({ group }) => group === 'findings');
  return [
    ...(session === null ? [] : [toSessionEntry(session, t)]),
    ...findings,
    ...[...views, settings, ...actions].filter((entry) => matches(entry.label, text)),
    ...found.filter((entry) => !findings.includes(entry)),
  ];
}

function toSessionEntry({ sessionId, isCached, elsewhere }: FoundSession, t: Translate): PaletteEntry {
  const label =
    elsewhere === null
      ? t(isCached === false ? 'palette.sessionNotCached' : 'palette.session', { id: sessionId })
      : t('palette.sessionElsewhere', { id: sessionId, name: elsewhere.name });
  return {
    id: 'session',
    group: 'session',
    label,
    icon: FingerprintPattern,
    keys: [],
    action: { kind: 'session', sessionId, connectionId: elsewhere?.connectionId ?? null },
  };
}

/** A shorter beginning of a group's name would bring all of it in. */
const MIN_GROUP_CHARACTERS = 4;

/** True when each typed word begins a word of the label, or of its group's name, in any order. */
function matches(label: string, text: string, groupName = ''): boolean {
  const [words, groupWords] = [foldText(label), foldText(groupName)];
  return foldText(text)
    .split(/\s+/)
    .every(
      (part) =>
        beginsWord(words, part) || (part.length >= MIN_GROUP_CHARACTERS && beginsWord(groupWords, part)),
    );
}

/** Without accents, letter case, and the marks that keep a name's direction apart. */
function foldText(text: string): string {
  return foldCase(text)
    .normalize('NFD')
    .replace(/[\p{M}\p{Cf}]/gu, '');
}

function beginsWord(words: string, part: string): boolean {
  if (part === '') return true;
  for (let at = words.indexOf(part); at >= 0; at = words.indexOf(part, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(words.charAt(at - 1))) return true;
  }
  return false;
}
