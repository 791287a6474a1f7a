import { X509Certificate } from 'node:crypto';
import https from 'node:https';
import tls from 'node:tls';
import type { NetworkChoice, ProxyChoice } from '../common/model/settings/network.ts';
import { findErrorCode } from './error-text.ts';
import { http } from './http/problem.ts';

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

/** What a proxy is told. */
interface ProxyUser {
  readonly userName: string;
  readonly password: string;
}

/** Knows the logins of proxies, and learns what came of them. */
interface KnownLogins {
  find(question: {
    readonly proxy: string;
    readonly realm: string;
    readonly attempt: number;
  }): Promise<ProxyUser | null>;
  note(proxy: string, outcome: 'accepted' | 'unknown'): void;
}

/** The proxies of this process, and what they are told. */
interface ProxyAccess {
  /** Called before each request: what it needs is set up. */
  prepare(url: URL): void;
  /** The proxy that requests to an address go through; null for none. */
  find(url: URL): URL | null;
  /** True where that proxy is told a login by now. */
  isTold(proxy: URL): boolean;
  /** Tells a proxy a login from now on, or (null) none any more. */
  tell(proxy: URL, user: ProxyUser | null): void;
}

/** A proxy that asked who is calling, and what is known to tell it. */
interface AskingProxy {
  readonly demand: ProxyDemand;
  readonly proxy: URL;
  readonly logins: KnownLogins;
}

/** The code that Node gives a request whose proxy lets it through to nowhere, whatever it said. */
const REFUSED_BY_PROXY = 'UND_ERR_ABORTED';

/**
 * Node's fetch, which answers a proxy that asks who is calling: with name and password, the only way that Node knows. It
 * asks the proxy once more what it wants, since Node doesn't say. A refusal is a TypeError whose cause has one of Chromium's
 * codes, or `ERR_PROXY_SCHEME` for a proxy that wants a login of another kind.
 */
function createProxyFetch(
  access: ProxyAccess,
  findLogins: () => KnownLogins | null,
): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    access.prepare(url);
    const proxy = access.find(url);
    const logins = findLogins();
    const wasTold = proxy !== null && access.isTold(proxy);
    try {
      return await globalThis.fetch(input, init);
    } catch (error) {
      if (proxy === null || logins === null || !isRefused(error, init?.signal)) throw error;
      const demand = await askProxy(proxy, url);
      if (demand === null) throw error;
      const user = await findUser(demand, { proxy, logins, attempt: wasTold ? 2 : 1 });
      access.tell(proxy, user);
      if (user === null) throw toFailure(demand);
      return repeat({ demand, proxy, logins }, () => globalThis.fetch(input, init), init?.signal);
    }
  };

  async function repeat(
    { demand, proxy, logins }: AskingProxy,
    send: () => Promise<Response>,
    signal: AbortSignal | null | undefined,
  ): Promise<Response> {
    try {
      const response = await send();
      logins.note(proxy.host, 'accepted');
      return response;
    } catch (error) {
      if (!isRefused(error, signal)) {
        logins.note(proxy.host, 'unknown');
        throw error;
      }
      await findUser(demand, { proxy, logins, attempt: 2 });
      access.tell(proxy, null);
      throw toFailure(demand);
    }
  }
}

async function findUser(
  { realm, asksForPassword }: ProxyDemand,
  { proxy, logins, attempt }: { proxy: URL; logins: KnownLogins; attempt: number },
): Promise<ProxyUser | null> {
  return asksForPassword ? logins.find({ proxy: proxy.host, realm, attempt }) : null;
}

function isRefused(error: unknown, signal: AbortSignal | null | undefined): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (findErrorCode(cause) === REFUSED_BY_PROXY) return signal?.aborted !== true;
  }
  return false;
}

function toFailure({ status, asksForPassword }: ProxyDemand): TypeError {
  const unknown = asksForPassword ? 'ERR_PROXY_AUTH_REQUESTED' : 'ERR_PROXY_SCHEME';
  const code = status === 407 ? unknown : 'ERR_TUNNEL_CONNECTION_FAILED';
  const cause = Object.assign(new Error(`The proxy answered with status ${status}.`), { code });
  return new TypeError('fetch failed', { cause });
}

const MAX_WAIT_MS = 10_000;

/** What a proxy said to a request that it didn't let through. */
interface ProxyDemand {
  readonly status: number;
  /** What the proxy calls itself; may be empty. */
  readonly realm: string;
  /** It takes a name and a password as they are (Basic). */
  readonly asksForPassword: boolean;
}

/** Asks a proxy for a way to an address, without a login. Null where it gives one, or can't be asked. */
function askProxy(proxy: URL, target: URL): Promise<ProxyDemand | null> {
  const { request, Agent } = proxy.protocol === 'https:' ? https : http;
  const usualPort = target.protocol === 'https:' ? '443' : '80';
  return new Promise((resolve) => {
    const asked = request({
      host: proxy.hostname.replace(/^\[|\]$/gu, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: `${target.hostname}:${target.port || usualPort}`,
      // The usual agent may go through a proxy itself; this one connects directly.
      agent: new Agent(),
      timeout: MAX_WAIT_MS,
    });
    const end = (demand: ProxyDemand | null): void => {
      asked.destroy();
      resolve(demand);
    };
    asked.on('connect', ({ statusCode = 0, headers }, socket) => {
      socket.destroy();
      end(statusCode === 200 ? null : readDemand(statusCode, headers['proxy-authenticate']));
    });
    asked.on('timeout', () => end(null));
    asked.on('error', () => end(null));
    asked.end();
  });
}

function readDemand(status: number, said: string | readonly string[] = ''): ProxyDemand {
  const offers = [said].flat().join(', ');
  const basic = /(?:^|,)\s*basic\b(?<words>[^,]*)/iu.exec(offers);
  const realm = /realm="(?<name>[^"]*)"/iu.exec(basic?.groups?.['words'] ?? '')?.groups?.['name'] ?? '';
  return { status, realm, asksForPassword: status === 407 && basic !== null };
}
