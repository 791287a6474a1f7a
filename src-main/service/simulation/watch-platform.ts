import type { ServiceOptions } from '../service-options.ts';
import type { SimulatedPlatform } from './simulated-platform.ts';
import { watchHeartbeat, type Heartbeat } from './watch-heartbeat.ts';

/** What the platform says of itself by the means that the options name, besides what is simulated. */
export function watchPlatform(
  platform: Pick<SimulatedPlatform, 'read'>,
  { heartbeatFile, heartbeatSeconds }: Pick<ServiceOptions, 'heartbeatFile' | 'heartbeatSeconds'>,
  now: () => number,
): Promise<Heartbeat> {
  if (heartbeatFile === null) return Promise.resolve({ read: platform.read, stop: () => undefined });
  return watchHeartbeat(platform, { file: heartbeatFile, maxAgeMs: heartbeatSeconds * 1000 }, now);
}
