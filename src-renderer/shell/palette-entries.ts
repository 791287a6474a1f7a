import type { Component } from 'vue';
import {
  ArrowLeftRight,
  CalendarDays,
  Download,
  FingerprintPattern,
  Palette,
  PanelLeft,
  RefreshCw,
  Settings,
} from '@lucide/vue';
import { isGuid } from '../../src-main/common/reporting/reports.ts';
import { VIEWS } from './views.ts';

export type PaletteAction =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'control'; readonly control: 'refresh' | 'export' | 'period' }
  | { readonly kind: 'theme' | 'sidebar' | 'switch-connection' };

export interface PaletteEntry {
  readonly id: string;
  readonly group: 'session' | 'views' | 'actions';
  readonly label: string;
  readonly icon: Component;
  /** Keys besides Ctrl or Cmd. */
  readonly keys: readonly string[];
  readonly action: PaletteAction;
}

type Translate = (key: string, values?: Record<string, unknown>) => string;

const ACTIONS: readonly Pick<PaletteEntry, 'id' | 'icon' | 'keys' | 'action'>[] = [
  { id: 'refresh', icon: RefreshCw, keys: ['R'], action: { kind: 'control', control: 'refresh' } },
  { id: 'export', icon: Download, keys: ['E'], action: { kind: 'control', control: 'export' } },
  { id: 'period', icon: CalendarDays, keys: ['P'], action: { kind: 'control', control: 'period' } },
  { id: 'switchConnection', icon: ArrowLeftRight, keys: ['O'], action: { kind: 'switch-connection' } },
  { id: 'theme', icon: Palette, keys: ['Shift', 'L'], action: { kind: 'theme' } },
  { id: 'sidebar', icon: PanelLeft, keys: ['B'], action: { kind: 'sidebar' } },
];

/** Returns what the palette offers for the typed text; a GUID is looked up as a session. */
export function findPaletteEntries(typed: string, t: Translate): PaletteEntry[] {
  const text = typed.trim();
  if (isGuid(text)) return [toSessionEntry(text, t)];
  const views = VIEWS.map((view, index): PaletteEntry => {
    return {
      id: view.name,
      group: 'views',
      label: t(`shell.views.${view.name}`),
      icon: view.icon,
      keys: [String(index + 1)],
      action: { kind: 'go', path: view.path },
    };
  });
  const settings: PaletteEntry = {
    id: 'settings',
    group: 'views',
    label: t('palette.settings'),
    icon: Settings,
    keys: [','],
    action: { kind: 'go', path: '/settings/connections' },
  };
  const actions = ACTIONS.map((action): PaletteEntry => {
    return { ...action, group: 'actions', label: t(`palette.actions.${action.id}`) };
  });
  return [...views, settings, ...actions].filter((entry) => matches(entry.label, text));
}

function toSessionEntry(sessionId: string, t: Translate): PaletteEntry {
  return {
    id: 'session',
    group: 'session',
    label: t('palette.session', { id: sessionId }),
    icon: FingerprintPattern,
    keys: [],
    action: { kind: 'session', sessionId },
  };
}

/** True when each typed word begins a word of the label, in any order. */
function matches(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
