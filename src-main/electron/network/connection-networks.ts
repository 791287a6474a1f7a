import { session, type Session } from 'electron';
import { SYSTEM_NETWORK, type NetworkChoice } from '../../common/model/settings/network-choice.ts';
import type { ProxyChoice } from '../../common/model/settings/proxy-address.ts';
import type { Host, ProxyLogins } from '../../core/host.ts';
import { createNetworkFetch } from './network-fetch.ts';
import { isSignedByOwn, readAuthorities } from './own-authorities.ts';

/** What Chromium says of a certificate whose signer it doesn't know. */
const UNKNOWN_AUTHORITY = 'net::ERR_CERT_AUTHORITY_INVALID';
/** Answers of a check of certificates: it is good, or Chromium's own judgement holds. */
const IS_GOOD = 0;
const AS_CHROMIUM_SAYS = -3;

/** How the desktop reaches the network. */
export interface ConnectionNetworks extends Pick<Host, 'fetchFor' | 'useProxyLogins' | 'useNetwork'> {
  /** Has another session reach the network as connections do. */
  setUp(network: Session): Promise<void>;
  /** Who answers proxies that ask; null until the core has said so. */
  readonly readLogins: () => ProxyLogins | null;
}

/**
 * Returns the fetches of connections. Each has a session of its own, in memory and without a cache: Chromium opens six
 * sockets to a host in a session, and what one connection received must never be served to another. Once the network is
 * to be used another way, sessions are begun anew: an old one remembers what it judged of certificates.
 */
export function createConnectionNetworks(): ConnectionNetworks {
  const fetches = new Map<string, typeof globalThis.fetch>();
  let opened = new Map<string, Promise<typeof globalThis.fetch>>();
  let logins: ProxyLogins | null = null;
  let chosen: NetworkChoice = SYSTEM_NETWORK;
  let generation = 0;

  const setUp = async (network: Session): Promise<void> => {
    trustOwn(network, chosen.authorities);
    if (chosen.proxy.mode !== 'system') await network.setProxy(toProxyConfig(chosen.proxy));
  };
  const open = async (connectionId: string): Promise<typeof globalThis.fetch> => {
    const suffix = generation === 0 ? '' : `-${generation}`;
    const network = session.fromPartition(`requests-${connectionId}${suffix}`, { cache: false });
    await setUp(network);
    return createNetworkFetch(network, () => logins);
  };
  const find = (connectionId: string): Promise<typeof globalThis.fetch> => {
    const known = opened.get(connectionId) ?? open(connectionId);
    opened.set(connectionId, known);
    return known;
  };
  return {
    setUp,
    readLogins: () => logins,
    useProxyLogins: (given) => {
      logins = given;
    },
    useNetwork: (network) => {
      if (JSON.stringify(network) !== JSON.stringify(chosen)) {
        chosen = network;
        generation += 1;
        opened = new Map();
      }
      return Promise.resolve();
    },
    fetchFor: (connectionId) => {
      const known = fetches.get(connectionId);
      if (known !== undefined) return known;
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const current = await find(connectionId);
        return current(input, init);
      };
      fetches.set(connectionId, fetch);
      // A proxy that can't be set fails the requests themselves.
      find(connectionId).catch(() => undefined);
      return fetch;
    },
  };
}

/** Chromium reaches what is on this computer directly, whatever the proxy. */
function toProxyConfig(proxy: ProxyChoice): Electron.ProxyConfig {
  if (proxy.mode === 'none') return { mode: 'direct' };
  if (proxy.mode === 'system') return { mode: 'system' };
  return {
    mode: 'fixed_servers',
    proxyRules: proxy.address,
    proxyBypassRules: proxy.exceptions.join(','),
  };
}

function trustOwn(network: Session, pems: readonly string[]): void {
  const authorities = readAuthorities(pems);
  if (authorities.length === 0) return;
  network.setCertificateVerifyProc(({ verificationResult, certificate, hostname }, answer) => {
    const isOwn =
      verificationResult === UNKNOWN_AUTHORITY &&
      isSignedByOwn(certificate, hostname, authorities, Date.now());
    answer(isOwn ? IS_GOOD : AS_CHROMIUM_SAYS);
  });
}
