import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildSecurityHeaders, createNonce } from '../core/window/content-policy.ts';
import type { Refusal } from './request-guard.ts';

/** One request with its answer, taken apart once. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: string;
  readonly nonce: string;
}

/** Gives the answer its headers first, so that no way out of the server lacks them. */
export function createExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const nonce = createNonce();
  for (const [name, value] of Object.entries(buildSecurityHeaders(nonce, 'self'))) {
    response.setHeader(name, value);
  }
  const target = request.url ?? '';
  const mark = target.indexOf('?');
  return {
    request,
    response,
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    nonce,
  };
}

/** Answers with the bare status and lets the connection go: the rest of the request may be unread. */
export function refuse(
  exchange: Exchange,
  status: Refusal | 404,
  headers: Record<string, string> = {},
): void {
  exchange.response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...headers,
  });
  exchange.response.end('Refused.\n');
}

/** Answers with text of a media type. */
export function sendText(exchange: Exchange, status: number, mediaType: string, text: string | Buffer): void {
  const content = Buffer.from(text);
  exchange.response.writeHead(status, { 'content-type': mediaType, 'content-length': content.length });
  exchange.response.end(exchange.request.method === 'HEAD' ? undefined : content);
}
