import { app, Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { AlertBoard } from '../../common/model/alerts/alert-state.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import type { StatusSample } from '../../common/model/connections/status.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { nameConnection, type Words } from '../../common/words/words.ts';
import type { Core } from '../../core/create-core.ts';
import type { HostPlatform } from '../../core/data-folder/locate-data-folder.ts';
import { hasBusName } from '../../node/session-bus.ts';
import { drawDisc } from '../attention/show-notes.ts';

export interface TrayKeeper {
  /** True while there is an icon. */
  isThere(): boolean;
  /** Asks the system again whether it shows the icon, which is the only way back to a window. */
  leadsBack(): Promise<boolean>;
}

/** The program that shows icons on desktops of Linux; without it there is no tray, and Electron says nothing about that. */
const TRAY_HOST = 'org.kde.StatusNotifierWatcher';

/** Whether this desktop shows icons of programs. */
export function hasTray(platform: HostPlatform): Promise<boolean> {
  return platform === 'linux' ? hasBusName(TRAY_HOST) : Promise.resolve(true);
}

/** Windows shows no more of it. */
const MAX_TOOLTIP_CHARACTERS = 127;
/** Of the disc in the icon's corner. */
const MARK_SIZE = 16;

/**
 * Keeps an icon in the tray while the person wants the application to go on without its window; following and polling
 * need none. Its menu says how things are. macOS goes on by itself, and its dock leads back. Where the system has no tray,
 * there is no icon, and the application ends with its window: what can't be opened again must not go on.
 */
export async function keepInTray(
  core: Pick<Core, 'call' | 'on' | 'logger' | 'readWords'>,
  platform: HostPlatform,
  openWindow: TrayActions['openWindow'],
  askForTray: (platform: HostPlatform) => Promise<boolean>,
): Promise<TrayKeeper> {
  let tray: Tray | null = null;
  let shown = '';
  let isHosted = false;
  let isAsking = false;
  let last: TrayState | null = null;
  const isThere = (): boolean => tray !== null && !tray.isDestroyed();
  if (platform === 'macos') return { isThere, leadsBack: () => Promise.resolve(false) };
  const ask = async (): Promise<boolean> => (isHosted = await askForTray(platform));
  const actions: TrayActions = {
    openWindow,
    checkStatus: (connectionId) => void core.call('status/refresh', { connectionId }),
    setNotes: (alertNotes) => void core.call('settings/update', { alertNotes }),
    quit: () => app.quit(),
  };
  const open = (): void => {
    tray = new Tray(drawIcon(false));
    tray.on('click', () => openWindow(null));
  };
  const close = (): void => {
    tray?.destroy();
    tray = null;
    shown = '';
  };
  // A desktop may begin to show icons later than this starts.
  const askAgain = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    await ask();
    isAsking = false;
    if (isHosted && last !== null) show(last);
  };
  const show = (state: TrayState): void => {
    last = state;
    if (!state.settings.keepInTray) {
      close();
      return;
    }
    if (!isHosted) {
      void askAgain();
      return;
    }
    if (tray === null) open();
    const words = core.readWords();
    const now = describe(state, words);
    // A menu that is replaced closes where it is open.
    if (tray === null || now === shown) return;
    shown = now;
    tray.setImage(drawIcon(state.settings.alertBadge && state.firing > 0));
    tray.setToolTip(
      ['Channelscope', ...writeTrayLines(state, words)].join('\n').slice(0, MAX_TOOLTIP_CHARACTERS),
    );
    tray.setContextMenu(Menu.buildFromTemplate(buildTrayMenu(state, words, actions)));
  };
  if (!(await ask())) core.logger.info('there is no tray', {});
  await followTrayState(core, show);
  return {
    isThere,
    leadsBack: async () => {
      if (!isThere()) return false;
      if (!(await ask())) close();
      return isThere();
    },
  };
}

/** Returns a text that differs whenever what the icon shows does. */
function describe(state: TrayState, words: Words): string {
  const { lastConnectionId, alertNotes, alertBadge } = state.settings;
  const names = state.connections.map(({ id, name }) => [id, name]);
  const lines = writeTrayLines(state, words);
  return JSON.stringify([words.language, lines, names, lastConnectionId, alertNotes, alertBadge]);
}

/** The application's mark, with a disc in its corner while an alert fires. */
function drawIcon(hasMark: boolean): Electron.NativeImage {
  const icon = nativeImage.createFromDataURL(TRAY_ICON);
  if (!hasMark) return icon;
  const { width, height } = icon.getSize();
  const pixels = icon.toBitmap();
  drawDisc({ pixels, width }, width - MARK_SIZE, height - MARK_SIZE, MARK_SIZE);
  return nativeImage.createFromBitmap(pixels, { width, height });
}

/** A longer menu would not fit on the smallest screens. */
const MAX_CONNECTIONS = 8;

/** What the entries do. */
interface TrayActions {
  /** Brings a window to the front, at a place of the router where one is given. */
  readonly openWindow: (place: string | null) => void;
  readonly checkStatus: (connectionId: string) => void;
  readonly setNotes: (isOn: boolean) => void;
  readonly quit: () => void;
}

type ShownState = Pick<TrayState, 'settings' | 'connections' | 'sample' | 'firing'>;

/** What is known, and since when: a line for the connection, and one for the alerts where any fires. */
function writeTrayLines(state: ShownState, words: Words): string[] {
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
function buildTrayMenu(
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

type ShownSettings = Pick<Settings, 'keepInTray' | 'lastConnectionId' | 'alertNotes' | 'alertBadge'>;

/** What the tray says of the application while no window is open. */
interface TrayState {
  readonly settings: ShownSettings;
  readonly connections: readonly Connection[];
  /** The last answer about the connection that was shown last; null before the first of this run. */
  readonly sample: StatusSample | null;
  readonly firing: number;
}

/** Reads what the tray shows, and calls `show` with it now and whenever it changes. */
async function followTrayState(
  core: Pick<Core, 'call' | 'on'>,
  show: (state: TrayState) => void,
): Promise<void> {
  const samples = new Map<string, StatusSample>();
  let settings: ShownSettings | null = null;
  let connections: readonly Connection[] = [];
  let firing = 0;
  const showAll = (): void => {
    if (settings === null) return;
    const sample = samples.get(settings.lastConnectionId ?? '') ?? null;
    show({ settings, connections, sample, firing });
  };
  core.on((...event) => {
    if (event[0] === 'settings/changed') settings = event[1];
    else if (event[0] === 'connections/changed') connections = event[1];
    else if (event[0] === 'status/checked') samples.set(event[1].connectionId, event[1]);
    else if (event[0] === 'alerts/changed') firing = countFiring(event[1]);
    else return;
    showAll();
  });
  const [read, list, board] = await Promise.all([
    core.call('settings/get', null),
    core.call('connections/list', null),
    core.call('alerts/list', null),
  ]);
  if (list.ok) connections = list.value as Connection[];
  if (board.ok) firing = countFiring(board.value as AlertBoard);
  if (read.ok) settings = read.value as Settings;
  showAll();
}

function countFiring({ rules }: AlertBoard): number {
  return rules.filter(({ state }) => state.firingSinceMs !== null).length;
}

/** The mark of the application in 32 by 32 pixels, as a PNG. */
export const TRAY_ICON =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAAoUlEQVR42u2XzQ2AIAyFu1HPTtO1Oopj9MosHDQxaIRo/EMfEkjehZC+jwKhJRajRB2LKYs5FvMsNjyUD7E0xI78UnPNYHgk3QPoPzCf1acA+qF5lIn5zAeQOtTulyxQuKEoAEeZntrtJ0pA80mXAdajeIAza+sB2Jr/N8AVowbQABpAnQDF/oZvAMALEnhJBi9K4WU5vDEpojUrojmFtOcjQ1cO0q7CFD8AAAAASUVORK5CYII=';
