import type { Events } from '../events.ts';
import type { SettingsStore } from './create-settings.ts';
import type { Settings } from '../../common/model/settings/settings.ts';

/** What is done when settings change that are otherwise only read when something starts. */
export interface SettingsActions {
  setLive(live: boolean): void;
  /** The engine's process takes its limits when it starts. */
  restartEngine(): void;
}

/** Does what changed settings ask for, once for each change; returns a function that ends it. */
export function followSettings(
  events: Pick<Events, 'on'>,
  settings: Pick<SettingsStore, 'get'>,
  actions: SettingsActions,
): () => void {
  let before: Settings = settings.get();
  return events.on('settings/changed', (now) => {
    const { localServiceLive, engineMemoryMb } = before;
    before = now;
    if (now.localServiceLive !== localServiceLive) actions.setLive(now.localServiceLive);
    if (now.engineMemoryMb !== engineMemoryMb) actions.restartEngine();
  });
}
