import type { MenuItemConstructorOptions } from 'electron';
import type { StatusSample } from '../../common/model/connections/status.ts';
import type { Words } from '../../common/words/words.ts';
import { nameConnection } from '../../common/words/connection-name.ts';
import type { TrayState } from './tray-state.ts';

/** A longer menu would not fit on the smallest screens. */
const MAX_CONNECTIONS = 8;

/** What the entries do. */
export interface TrayActions {
  /** Brings a window to the front, at a place of the router where one is given. */
  readonly openWindow: (place: string | null) => void;
  readonly checkStatus: (connectionId: string) => void;
  readonly setNotes: (isOn: boolean) => void;
  readonly quit: () => void;
}

type ShownState = Pick<TrayState, 'settings' | 'connections' | 'sample' | 'firing'>;

/** What is known, and since when: a line for the connection, and one for the alerts where any fires. */
export function writeTrayLines(state: ShownState, words: Words): string[] {
  const { settings, connections, sample, firing } = state;
  const active = connections.find(({ id }) => id === settings.lastConnectionId);
  const lines: string[] = [];
  if (active !== undefined && sample !== null)
    lines.push(writeStatus(nameConnection(active, words), sample, words));
  if (firing > 0)
    lines.push(words.t('desktop.tray.firing', { count: words.formats.formatCount(firing) }, firing));
  return lines;
}

function writeStatus(name: string, { platform, connector, checkedAtMs }: StatusSample, words: Words): string {
  const { t, formats } = words;
  const time = formats.formatClock(checkedAtMs, new Intl.DateTimeFormat().resolvedOptions().timeZone);
  return platform === 'unreachable'
    ? t('desktop.tray.unreachable', { name, time })
    : t('desktop.tray.status', {
        name,
        platform: t(`desktop.tray.states.${platform}`),
        connector: t(`desktop.tray.states.${connector}`),
        time,
      });
}

/** What the icon offers: what is known, the way back to the window, and what is done without it. */
export function buildTrayMenu(
  state: ShownState,
  words: Words,
  { openWindow, checkStatus, setNotes, quit }: TrayActions,
): MenuItemConstructorOptions[] {
  const { t } = words;
  const { settings, connections, firing } = state;
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const active = connections.find(({ id }) => id === settings.lastConnectionId);
  const lines = writeTrayLines(state, words);
  return [
    ...lines.map((label): MenuItemConstructorOptions => ({ label, enabled: false })),
    ...(lines.length === 0 ? [] : [line]),
    { label: t('desktop.tray.open'), click: () => openWindow(null) },
    ...(firing === 0 ? [] : [{ label: t('desktop.tray.alerts'), click: () => openWindow('/alerts') }]),
    ...(connections.length < 2
      ? []
      : [
          line,
          ...connections.slice(0, MAX_CONNECTIONS).map((connection): MenuItemConstructorOptions => ({
            type: 'radio',
            label: nameConnection(connection, words),
            checked: connection === active,
            click: () => openWindow(`/overview?connection=${encodeURIComponent(connection.id)}`),
          })),
        ]),
    line,
    ...(active === undefined
      ? []
      : [{ label: t('desktop.tray.check'), click: () => checkStatus(active.id) }]),
    {
      type: 'checkbox',
      label: t('desktop.tray.notes'),
      checked: settings.alertNotes,
      click: ({ checked }) => setNotes(checked),
    },
    line,
    { label: t('desktop.menu.quit'), click: quit },
  ];
}
