import type { IncomingMessage } from 'node:http';

/** A refusal says nothing beyond its status. */
export type Refusal = 400 | 401 | 403 | 405 | 413 | 415 | 421 | 429;

function countHeader(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

/**
 * The first check of every request, also of those for files and for paths that don't exist: it must have been
 * meant for one of our addresses, or a name that was rebound to 127.0.0.1 could read along (W-02).
 */
export function checkTarget(request: IncomingMessage, authorities: readonly string[]): Refusal | null {
  if (request.httpVersion !== '1.1') return 400;
  if (countHeader(request, 'host') !== 1 || !authorities.includes(request.headers.host ?? '')) return 421;
  const target = request.url ?? '';
  if (!target.startsWith('/') || target.startsWith('//') || /[\p{Cc} #\\]/u.test(target)) return 400;
  // Nothing here is ever upgraded.
  return request.headers.upgrade === undefined ? null : 400;
}

/**
 * Tells whether a call comes from a page of the very address that it goes to; other pages on this computer, and
 * our own under another name, may not even ask (W-09). The address was checked before.
 */
export function checkOrigin(request: IncomingMessage): Refusal | null {
  const origin = `http://${request.headers.host ?? ''}`;
  const given = request.headers.origin;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (given === undefined ? !isReading : given !== origin || countHeader(request, 'origin') !== 1) return 403;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' ? null : 403;
}
