import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

/** Everything that the window consists of; a file of another kind is not served. */
const MEDIA_TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
]);

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/u;

const KEPT = { 'cache-control': 'private, max-age=31536000, immutable' };

interface WindowFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Headers of its own: a name with a hash of the content lets a copy, and what is compiled of it, be kept for good. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Splits the path of a URL into plain names, or returns null. It is decoded once; anything but letters, digits,
 * dot, dash and underscore is refused, and so are dot files: no built file needs more.
 */
function splitPath(urlPath: string): string[] | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return null;
  }
  if (!decoded.startsWith('/')) return null;
  const names = (decoded === '/' ? '/index.html' : decoded).slice(1).split('/');
  return names.every((name) => SEGMENT.test(name) && name !== 'node_modules') ? names : null;
}

/**
 * Reads a file of the built window by the path of its URL; null where there is none (E-18, W-16). At once: the window asks
 * for twenty small files while everything else starts, and each turn that is waited for comes late then.
 */
export function readWindowFile(folder: string, urlPath: string): WindowFile | null {
  const names = splitPath(urlPath);
  const mediaType = names === null ? undefined : MEDIA_TYPES.get(extname(names.at(-1) ?? ''));
  if (names === null || mediaType === undefined) return null;
  try {
    const root = realpathSync.native(folder);
    const path = realpathSync.native(join(root, ...names));
    if (!path.startsWith(root + sep)) return null;
    return { bytes: readFileSync(path), mediaType, headers: names[0] === 'assets' ? KEPT : {} };
  } catch {
    return null;
  }
}

/** Stands in index.html where the nonce of the response belongs. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';

/** A fresh nonce for one response: with it the grid, and nothing else, may add its own style sheet. */
export function createNonce(): string {
  return randomBytes(16).toString('base64');
}

/** Puts the nonce of this response into the page. */
export function insertNonce(html: string, nonce: string): string {
  return html.replaceAll(NONCE_PLACEHOLDER, nonce);
}

/** What a page may connect to: nothing where everything goes over IPC; a server that rebuilds the window besides. */
export type PageConnections = 'self' | 'none' | { readonly own: 'self' | 'none'; readonly rebuilder: string };

function toConnectSources(connect: PageConnections): string {
  if (typeof connect === 'string') return `'${connect}'`;
  const { own, rebuilder } = connect;
  const address = rebuilder.replace(/^http/u, 'ws');
  return own === 'self' ? `'self' ${address}` : address;
}

/** The one policy of both hosts. */
function buildContentPolicy(nonce: string, connect: PageConnections): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src ${toConnectSources(connect)}`,
    "manifest-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Headers of every response of both hosts, errors included (W-13). */
export function buildSecurityHeaders(nonce: string, connect: PageConnections): Record<string, string> {
  return {
    'content-security-policy': buildContentPolicy(nonce, connect),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy':
      'camera=(), clipboard-read=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
    'cache-control': 'no-store',
  };
}
