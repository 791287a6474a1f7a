import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import type { NetworkChoice } from '../common/model/settings/network-choice.ts';
import { http } from './http/builtin-http.ts';
import { createProxyFetch, type KnownLogins, type ProxyAccess, type ProxyUser } from './proxy-fetch.ts';
import type { ProxyChoice } from '../common/model/settings/proxy-address.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * Reaches everything directly, over connections that are begun anew: those before would be resumed without a look at
 * their certificates, also where an authority is trusted no more.
 */
const DIRECTLY = { http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9', no_proxy: '*' };

/** The environment, with the names of this computer among those that no proxy is asked for. */
export function exemptLoopback(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  const names = [own, ...LOOPBACK].filter((name) => name !== '').join(',');
  return { ...environment, no_proxy: names, NO_PROXY: names };
}

/** Node's fetch, and how it reaches services. */
export interface NodeNetwork {
  /**
   * Makes every later connection go the given way; the system's proxy is that of the environment. What is on this
   * computer is always reached directly. Returns false for a proxy that can't be used: services are reached directly
   * then.
   */
  use(network: NetworkChoice): boolean;
  /** The same for a host: rejects for a proxy that can't be used. */
  readonly useNetwork: (network: NetworkChoice) => Promise<void>;
  /** A fetch over that way, which answers proxies that ask who is calling with what `findLogins` knows. */
  readonly createFetch: (findLogins: () => KnownLogins | null) => typeof globalThis.fetch;
}

/**
 * Takes charge of how this process reaches the network. Certificates that the system trusts are accepted besides
 * Node's own, as managed computers need it. A Node that is too old for a part of it keeps its own way.
 */
export function createNodeNetwork(environment: NodeJS.ProcessEnv): NodeNetwork {
  const node = { http: http as Partial<typeof http>, tls: tls as Partial<typeof tls> };
  let known: readonly string[] | null = null;
  let restore: (() => void) | undefined;
  let trustedOwn: readonly string[] = [];
  let isTrustSet = true;
  let mustForget = false;
  let wanted: NodeJS.ProcessEnv = {};
  const users = new Map<string, ProxyUser>();
  const apply = (): void => {
    restore?.();
    restore = undefined;
    restore = node.http.setGlobalProxyFromEnv?.(
      mustForget && !namesProxy(wanted) ? DIRECTLY : exemptLoopback(addUsers(wanted, users)),
    );
  };
  /** Done for the first connection that needs it: reading what the system trusts would hold up a start. */
  const setTrust = (): void => {
    if (isTrustSet) return;
    isTrustSet = true;
    // Read once: later on, Node's own are those that were set here.
    known ??= [
      ...(node.tls.getCACertificates?.('default') ?? []),
      ...(node.tls.getCACertificates?.('system') ?? []),
    ];
    node.tls.setDefaultCACertificates?.([...new Set([...known, ...trustedOwn])]);
  };
  const use: NodeNetwork['use'] = ({ proxy, authorities }) => {
    const usable = authorities.filter(isCertificate);
    mustForget ||= trustedOwn.some((pem) => !usable.includes(pem));
    trustedOwn = usable;
    isTrustSet = false;
    try {
      wanted = toEnvironment(proxy, environment);
      apply();
      return true;
    } catch {
      return false;
    }
  };
  const access: ProxyAccess = {
    prepare: ({ protocol }) => {
      if (protocol === 'https:' || namesProxy(wanted)) setTrust();
    },
    find: ({ protocol }) => findProxy(wanted, protocol),
    isTold: ({ host }) => users.has(host),
    tell: ({ host }, user) => {
      if (user === null && !users.delete(host)) return;
      if (user !== null) users.set(host, user);
      apply();
    },
  };
  return {
    use,
    useNetwork: (network) =>
      use(network) ? Promise.resolve() : Promise.reject(new Error("The proxy can't be used.")),
    createFetch: (findLogins) => createProxyFetch(access, findLogins),
  };
}

/** What an environment would say of the proxy. */
function toEnvironment(proxy: ProxyChoice, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (proxy.mode === 'system') return environment;
  if (proxy.mode === 'none') return {};
  const { address, exceptions } = proxy;
  return { http_proxy: address, https_proxy: address, no_proxy: exceptions.join(',') };
}

function namesProxy(environment: NodeJS.ProcessEnv): boolean {
  return ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => environment[name]);
}

/** The proxy for addresses of a protocol, as the environment names it. */
function findProxy(environment: NodeJS.ProcessEnv, protocol: string): URL | null {
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  return URL.parse(environment[name] ?? environment[name.toUpperCase()] ?? '');
}

/** The environment, with the logins of its proxies in their addresses: Node reads them there. */
function addUsers(environment: NodeJS.ProcessEnv, users: ReadonlyMap<string, ProxyUser>): NodeJS.ProcessEnv {
  const changed = { ...environment };
  for (const protocol of ['http:', 'https:']) {
    const proxy = findProxy(environment, protocol);
    const user = users.get(proxy?.host ?? '');
    if (proxy === null || user === undefined) continue;
    proxy.username = encodeURIComponent(user.userName);
    proxy.password = encodeURIComponent(user.password);
    const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
    changed[name] = changed[name.toUpperCase()] = proxy.href;
  }
  return changed;
}

/** One that can't be read would keep Node from accepting any. */
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.byteLength > 0;
  } catch {
    return false;
  }
}
