import { findErrorCode } from './error-text.ts';
import https from 'node:https';
import { http } from './http/builtin-http.ts';

/** What a proxy is told. */
export interface ProxyUser {
  readonly userName: string;
  readonly password: string;
}

/** Knows the logins of proxies, and learns what came of them. */
export interface KnownLogins {
  find(question: {
    readonly proxy: string;
    readonly realm: string;
    readonly attempt: number;
  }): Promise<ProxyUser | null>;
  note(proxy: string, outcome: 'accepted' | 'unknown'): void;
}

/** The proxies of this process, and what they are told. */
export interface ProxyAccess {
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
export function createProxyFetch(
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
