import http from 'node:http';
import tls from 'node:tls';

const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'];

/** The environment, with the names of this computer among those that no proxy is asked for. */
export function exemptLoopback(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  const names = [own, ...LOOPBACK].filter((name) => name !== '').join(',');
  return { ...environment, no_proxy: names, NO_PROXY: names };
}

/**
 * Makes Node's fetch accept the certificates that the system trusts and use the proxy of the environment, as managed
 * computers need it. What is on this computer is always reached directly. Returns false for a proxy that can't be used.
 */
export function followSystemNetwork(environment: NodeJS.ProcessEnv): boolean {
  // A Node that is too old for these keeps its own certificates and reaches the network directly.
  const node = { http: http as Partial<typeof http>, tls: tls as Partial<typeof tls> };
  const known = node.tls.getCACertificates?.('default') ?? [];
  const trusted = node.tls.getCACertificates?.('system') ?? [];
  if (trusted.length > 0) node.tls.setDefaultCACertificates?.([...new Set([...known, ...trusted])]);
  try {
    node.http.setGlobalProxyFromEnv?.(exemptLoopback(environment));
    return true;
  } catch {
    return false;
  }
}
