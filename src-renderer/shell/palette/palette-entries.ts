import type { Component } from 'vue';
import { FingerprintPattern } from '@lucide/vue';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import type { SavedView } from '../../../src-main/common/model/records/record-filter.ts';
import type { SavedStatement } from '../../../src-main/common/model/settings/settings.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { PeriodPreset } from '../../period/period-selection.ts';
import type { FoundSession } from './use-session-lookup.ts';
import { COMMANDS, type ShellCommand } from '../commands.ts';
import { MAX_VIEW_KEYS, SETTINGS_VIEW, VIEWS } from '../views.ts';

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
