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

/** The one policy of both hosts. `connect` is `'none'` where everything goes over IPC. */
function buildContentPolicy(nonce: string, connect: 'self' | 'none'): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src '${connect}'`,
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Headers of every response of both hosts, errors included (W-13). */
export function buildSecurityHeaders(nonce: string, connect: 'self' | 'none'): Record<string, string> {
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
