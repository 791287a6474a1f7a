import type { AlertBoard } from '../../common/model/alerts/alert-state.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import type { StatusSample } from '../../common/model/connections/status.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Core } from '../../core/create-core.ts';

type ShownSettings = Pick<Settings, 'keepInTray' | 'lastConnectionId' | 'alertNotes' | 'alertBadge'>;

/** What the tray says of the application while no window is open. */
export interface TrayState {
  readonly settings: ShownSettings;
  readonly connections: readonly Connection[];
  /** The last answer about the connection that was shown last; null before the first of this run. */
  readonly sample: StatusSample | null;
  readonly firing: number;
}

/** Reads what the tray shows, and calls `show` with it now and whenever it changes. */
export async function followTrayState(
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
