import type { IncomingMessage } from 'node:http';

const MAX_HEADER_LINES = 64;
const MAX_TARGET_LENGTH = 4_096;
const AUTHORITY = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/u;

/**
 * The status to refuse a request with that wasn't meant for this server, or null. Protects a server on loopback from
 * pages that resolve their own name to 127.0.0.1: the Host must be one of `hostNames` or the address of the connection,
 * with the port of the connection, or as a whole one of `publicHosts`, under which a proxy is called. Targets in another
 * form than a path are refused too.
 */
export function findForeignRequest(
  request: IncomingMessage,
  hostNames: readonly string[],
  publicHosts: readonly string[] = [],
): 400 | 414 | 421 | 431 | null {
  const target = request.url ?? '';
  if (request.httpVersion !== '1.1') return 400;
  if (target.length > MAX_TARGET_LENGTH) return 414;
  if (!target.startsWith('/') || target.startsWith('//') || /[\p{Cc} #\\]/u.test(target)) return 400;
  if (request.rawHeaders.length > MAX_HEADER_LINES * 2) return 431;
  if (countHeader(request, 'host') !== 1) return 421;
  const authority = (request.headers.host ?? '').toLowerCase();
  return publicHosts.includes(authority) || isOwnAuthority(request, authority, hostNames) ? null : 421;
}

/** How often a header was sent; Node joins or drops the repeated ones. `name` is in lower case. */
export function countHeader(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

function isOwnAuthority(request: IncomingMessage, authority: string, hostNames: readonly string[]): boolean {
  const match = AUTHORITY.exec(authority);
  if (match === null) return false;
  const [, rawName = '', port = '80'] = match;
  const name = rawName.replace(/^\[|\]$/gu, '');
  const { localAddress, localPort } = request.socket as Partial<IncomingMessage['socket']>;
  // A request that was injected rather than received has no port to compare with.
  if (localPort !== undefined && Number(port) !== localPort) return false;
  return hostNames.includes(name) || name === localAddress?.replace(/^::ffff:/u, '');
}
