import type { IncomingMessage } from 'node:http';

const MOST_HEADER_LINES = 64;
const LONGEST_TARGET = 4_096;

/**
 * Why a request is not for this service, as a status, or null. Protects a service on loopback from pages that
 * resolve their own name to 127.0.0.1: the Host must be an address that this service really listens on.
 */
export function findForeignRequest(
  request: IncomingMessage,
  listeningHost: string,
): 400 | 414 | 421 | 431 | null {
  const target = request.url ?? '';
  if (request.httpVersion !== '1.1') return 400;
  if (target.length > LONGEST_TARGET) return 414;
  if (!target.startsWith('/') || target.startsWith('//') || /[#\\\0]/.test(target)) return 400;
  if (request.rawHeaders.length > MOST_HEADER_LINES * 2) return 431;
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return 421;
  return isOwnAuthority(request, listeningHost) ? null : 421;
}

function isOwnAuthority(request: IncomingMessage, listeningHost: string): boolean {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/.exec(
    (request.headers.host ?? '').toLowerCase(),
  );
  if (match === null) return false;
  const [, rawName = '', port = '80'] = match;
  const name = rawName.replace(/^\[|\]$/g, '');
  const { localAddress, localPort } = request.socket as Partial<IncomingMessage['socket']>;
  // A request that was injected rather than received has no port to compare with.
  if (localPort !== undefined && Number(port) !== localPort) return false;
  const ownAddress = localAddress?.replace(/^::ffff:/, '');
  return [listeningHost.toLowerCase(), 'localhost', '127.0.0.1', ownAddress].includes(name);
}
