import { randomBytes } from 'node:crypto';

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
