import https from 'node:https';
import { http } from './http/builtin-http.ts';

const MAX_WAIT_MS = 10_000;

/** What a proxy said to a request that it didn't let through. */
export interface ProxyDemand {
  readonly status: number;
  /** What the proxy calls itself; may be empty. */
  readonly realm: string;
  /** It takes a name and a password as they are (Basic). */
  readonly asksForPassword: boolean;
}

/** Asks a proxy for a way to an address, without a login. Null where it gives one, or can't be asked. */
export function askProxy(proxy: URL, target: URL): Promise<ProxyDemand | null> {
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
