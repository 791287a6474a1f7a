import { toNetworkChoice, type NetworkChoice } from '../../common/model/settings/network-choice.ts';
import type { Events } from '../events.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

/**
 * Has the host reach services as the settings say, now and whenever they change. `onChanged` is called once a changed
 * way is in use. Resolves once the first is; a way that can't be used is logged, and the host says what it does then.
 */
export async function followNetworkSettings(options: {
  readonly host: Pick<Host, 'useNetwork'>;
  readonly settings: Pick<SettingsStore, 'get'>;
  readonly events: Pick<Events, 'on'>;
  readonly logger: Logger;
  onChanged(): void;
}): Promise<void> {
  const { host, settings, events, logger, onChanged } = options;
  let inUse = '';
  const use = async (network: NetworkChoice): Promise<void> => {
    try {
      await host.useNetwork(network);
    } catch (error) {
      logger.warn('network settings not used', { proxy: network.proxy.mode, error });
    }
  };
  let last: Promise<void> = Promise.resolve();
  const follow = (isFirst: boolean): Promise<void> => {
    const network = toNetworkChoice(settings.get());
    const text = JSON.stringify(network);
    if (text === inUse) return last;
    inUse = text;
    last = last
      .then(() => use(network))
      .then(() => {
        if (!isFirst) onChanged();
      });
    return last;
  };
  events.on('settings/changed', () => void follow(false));
  await follow(true);
}
