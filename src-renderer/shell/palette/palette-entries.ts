import {
  ArrowLeftRight,
  CalendarDays,
  CalendarPlus,
  CircleQuestionMark,
  Clock3,
  Download,
  EyeOff,
  FingerprintPattern,
  Footprints,
  Hourglass,
  Info,
  Keyboard,
  LayoutGrid,
  MonitorUp,
  Palette,
  PanelLeft,
  RefreshCw,
} from '@lucide/vue';
import { watchDebounced } from '@vueuse/core';
import { type Component, type Ref, watch } from 'vue';
import type { RouteLocationRaw } from 'vue-router';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Clock } from '../../../src-main/common/model/period.ts';
import { MAX_SESSION_ID_CHARACTERS } from '../../../src-main/common/model/records/conversation.ts';
import type { SavedView } from '../../../src-main/common/model/records/record-filter.ts';
import type { SavedStatement } from '../../../src-main/common/model/settings/settings.ts';
import { findGuid, isGuid } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';
import { useConnectionName } from '../../messages/connection-name.ts';
import type { PeriodPreset } from '../../period/period-selection.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { ABOUT_VIEW, HELP_VIEW, MAX_VIEW_KEYS, SETTINGS_VIEW, VIEWS } from '../views.ts';

/** What a command does. Screens mark the control that a command presses with `data-shortcut`. */
export type ShellCommand =
  | {
      readonly kind:
        | ('palette' | 'sidebar' | 'theme' | 'switch-connection' | 'shortcuts')
        | ('mask' | 'share' | 'new-window' | 'tour');
    }
  | { readonly kind: 'go'; readonly path: RouteLocationRaw }
  | { readonly kind: 'history'; readonly by: -1 | 1 }
  | { readonly kind: 'clock'; readonly clock: Clock }
  | {
      readonly kind: 'control';
      readonly control: 'period' | 'refresh' | 'export' | 'search' | 'inspector' | 'fields';
    };

/** Keys pressed together; `Mod` is Ctrl, or Cmd on macOS. */
type Keys = readonly string[];

interface Command {
  readonly does: ShellCommand;
  readonly ways?: readonly Keys[];
  /** Message key below `shortcuts.does`, for the list of keys; those without one are listed in another place. */
  readonly line?: string;
  /** How the palette offers it: message key below `palette.actions`, and a picture. */
  readonly offer?: { readonly id: string; readonly icon: Component };
}

const control = (name: Extract<ShellCommand, { kind: 'control' }>['control']): ShellCommand => ({
  kind: 'control',
  control: name,
});
const clock = (id: string, name: Clock): Command => ({
  does: { kind: 'clock', clock: name },
  offer: { id, icon: Clock3 },
});
const go = (id: string, icon: Component, path: string): Command => ({
  does: { kind: 'go', path },
  offer: { id, icon },
});

/** Every command of the window that needs no choice: its keys and its place in the palette, in the order of the palette. */
export const COMMANDS: readonly Command[] = [
  { does: { kind: 'palette' }, ways: [['Mod', 'K']], line: 'palette' },
  ...VIEWS.slice(0, MAX_VIEW_KEYS).map(({ path }, place): Command => ({
    does: { kind: 'go', path },
    ways: [['Mod', String(place + 1)]],
  })),
  { does: { kind: 'go', path: SETTINGS_VIEW.path }, ways: [['Mod', ',']], line: 'settings' },
  {
    does: control('refresh'),
    ways: [['Mod', 'R']],
    line: 'refresh',
    offer: { id: 'refresh', icon: RefreshCw },
  },
  { does: control('export'), ways: [['Mod', 'E']], line: 'export', offer: { id: 'export', icon: Download } },
  {
    does: control('period'),
    ways: [['Mod', 'P']],
    line: 'period',
    offer: { id: 'period', icon: CalendarDays },
  },
  { does: control('search'), ways: [['Mod', 'F'], ['/']], line: 'search' },
  { does: control('inspector'), ways: [['Mod', 'I']] },
  { does: control('fields'), ways: [['Mod', 'J']] },
  {
    does: { kind: 'switch-connection' },
    ways: [['Mod', 'O']],
    line: 'connection',
    offer: { id: 'switchConnection', icon: ArrowLeftRight },
  },
  clock('clockService', 'service'),
  clock('clockLocal', 'local'),
  clock('clockUtc', 'utc'),
  {
    does: { kind: 'theme' },
    ways: [['Mod', 'Shift', 'L']],
    line: 'theme',
    offer: { id: 'theme', icon: Palette },
  },
  { does: { kind: 'mask' }, offer: { id: 'maskTexts', icon: EyeOff } },
  {
    does: { kind: 'sidebar' },
    ways: [['Mod', 'B']],
    line: 'sidebar',
    offer: { id: 'sidebar', icon: PanelLeft },
  },
  { does: { kind: 'history', by: -1 }, ways: [['Mod', '[']], line: 'back' },
  { does: { kind: 'history', by: 1 }, ways: [['Mod', ']']], line: 'back' },
  go('newSchedule', CalendarPlus, '/schedules/new'),
  go('allConnections', LayoutGrid, '/connections'),
  go('times', Hourglass, '/conversations?tab=times'),
  go('wall', MonitorUp, '/wall'),
  { does: { kind: 'shortcuts' }, ways: [['?']], line: 'keys', offer: { id: 'shortcuts', icon: Keyboard } },
  { ...go('help', CircleQuestionMark, HELP_VIEW.path), ways: [['F1']], line: 'help' },
  { does: { kind: 'tour' }, offer: { id: 'tour', icon: Footprints } },
  go('about', Info, ABOUT_VIEW.path),
];

type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Returns the command of a key press; `isTyping` means that the focus is in a field. */
export function toShellCommand(event: KeyLike, isMac: boolean, isTyping: boolean): ShellCommand | null {
  const key = event.key.toLowerCase();
  const hasModifier = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const isBare = !event.ctrlKey && !event.metaKey;
  if (event.altKey) return null;
  const isPressed = (keys: Keys): boolean => {
    if (keys.at(-1)?.toLowerCase() !== key) return false;
    if (keys.includes('Mod')) return hasModifier && keys.includes('Shift') === event.shiftKey;
    // A sign may need Shift, and is text where one types.
    return key === 'f1' || (isBare && !isTyping);
  };
  const found = COMMANDS.find(({ ways = [] }) => ways.some(isPressed))?.does ?? null;
  // Editors indent by these keys.
  return found?.kind === 'history' && isTyping ? null : found;
}

/** Presses the control that the current screen offers for a key; returns true when there is one. */
export function pressControl(control: string): boolean {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${control}"]`);
  if (element === null) return false;
  const field = element.matches('input') ? element : element.querySelector<HTMLElement>('input');
  if (field === null) element.click();
  else field.focus();
  return true;
}

export type PaletteAction =
  | ShellCommand
  | { readonly kind: 'session'; readonly sessionId: string; readonly connectionId: string | null }
  | { readonly kind: 'connection'; readonly connectionId: string }
  | { readonly kind: 'statement'; readonly statement: SavedStatement }
  | { readonly kind: 'view'; readonly view: SavedView }
  | { readonly kind: 'preset'; readonly preset: PeriodPreset }
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot };

export interface PaletteEntry {
  readonly id: string;
  readonly group:
    | 'session'
    | 'conversations'
    | 'saved'
    | 'actions'
    | 'views'
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
    icon: SETTINGS_VIEW.icon,
    keys: [','],
    action: { kind: 'go', path: SETTINGS_VIEW.path },
  };
  const actions = COMMANDS.flatMap(({ does, ways = [], offer }): PaletteEntry[] => {
    if (offer === undefined) return [];
    const label = t(`palette.actions.${offer.id}`);
    // Bare keys work where nothing is typed; the palette is a field.
    const keys = (ways.find((way) => way[0] === 'Mod') ?? []).slice(1);
    return [{ ...offer, group: 'actions', label, keys, action: does }];
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
