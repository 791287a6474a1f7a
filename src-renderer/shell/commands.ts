import type { Component } from 'vue';
import type { RouteLocationRaw } from 'vue-router';
import {
  ArrowLeftRight,
  CalendarDays,
  CalendarPlus,
  CircleQuestionMark,
  Clock3,
  Download,
  EyeOff,
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
import type { Clock } from '../../src-main/common/model/clock.ts';
import { ABOUT_VIEW, HELP_VIEW, MAX_VIEW_KEYS, SETTINGS_VIEW, VIEWS } from './views.ts';

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
