import { toProxyChoice, type ProxyChoice } from './proxy-address.ts';
import type { Settings } from './settings.ts';

/** How services are reached, as the settings ask for it. */
export interface NetworkChoice {
  readonly proxy: ProxyChoice;
  /** Certificates, as PEM, of authorities that are trusted besides the system's. */
  readonly authorities: readonly string[];
}

/** As the system has it: what applies until the settings say otherwise. */
export const SYSTEM_NETWORK: NetworkChoice = { proxy: { mode: 'system' }, authorities: [] };

/** Returns the network that the settings ask for. */
export function toNetworkChoice(settings: Settings): NetworkChoice {
  return { proxy: toProxyChoice(settings), authorities: settings.certificateAuthorities };
}
