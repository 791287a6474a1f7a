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

// Present in every runtime of the application; declared here because this folder knows neither DOM nor Node.
declare const URL: new (text: string) => {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Why a text is no address of a proxy. */
export type ProxyFault = 'proxy-form' | 'proxy-scheme' | 'proxy-credentials' | 'proxy-path';

/** The way to services, as a host takes it. */
export type ProxyChoice =
  | { readonly mode: 'system' }
  | { readonly mode: 'none' }
  | {
      readonly mode: 'manual';
      /** `http://host:port` or `https://host:port`: what is spoken to the proxy, not what goes through it. */
      readonly address: string;
      /** Names that are reached without it. */
      readonly exceptions: readonly string[];
    };

/** Returns why a text is no address of a proxy, or null; empty is none yet, and no fault. */
export function findProxyFault(typed: string): ProxyFault | null {
  const text = typed.trim();
  if (text === '') return null;
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text)) return 'proxy-form';
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return 'proxy-scheme';
  const url = tryParse(text);
  if (url === null || url.hostname === '') return 'proxy-form';
  if (url.username !== '' || url.password !== '' || text.includes('@')) return 'proxy-credentials';
  return url.pathname !== '/' || url.search !== '' || url.hash !== '' ? 'proxy-path' : null;
}

/** Returns the way to services that the settings ask for. A manual proxy without an address is the system's. */
export function toProxyChoice(
  settings: Pick<Settings, 'proxyMode' | 'proxyAddress' | 'proxyExceptions'>,
): ProxyChoice {
  const { proxyMode: mode, proxyAddress, proxyExceptions } = settings;
  if (mode === 'none' || mode === 'system') return { mode };
  const url = findProxyFault(proxyAddress) === null ? tryParse(proxyAddress.trim()) : null;
  if (url === null) return { mode: 'system' };
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  const exceptions = proxyExceptions.split(/[\s,;]+/).filter((name) => name !== '');
  return { mode, address: `${url.protocol}//${url.hostname}:${port}`, exceptions };
}

function tryParse(text: string): InstanceType<typeof URL> | null {
  if (text === '') return null;
  try {
    return new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    return null;
  }
}
