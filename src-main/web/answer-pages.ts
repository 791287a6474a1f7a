import { insertNonce } from '../core/window/content-policy.ts';
import { tryReadWindowFile } from '../core/window/window-files.ts';
import { refuseStranger, type ApiParts } from './answer-api.ts';
import { refuse, sendText, type Exchange } from './exchange.ts';
import { buildStartAgainPage } from './plain-pages.ts';

/** Swaps the launch token for a session: the cookie, and the header token in the part of the address that no server sees. */
function answerLaunch(exchange: Exchange, parts: ApiParts): void {
  const given = [...new URLSearchParams(exchange.query)];
  const [name, token] = given[0] ?? [];
  const isWellFormed = given.length === 1 && name === 'token' && token !== undefined;
  const mayTry = parts.limiter.secondsToWait() === 0;
  const tokens = isWellFormed && mayTry ? parts.sessions.tryLaunch(token) : null;
  if (tokens !== null) {
    exchange.response.writeHead(303, {
      location: `/#session=${tokens.header}`,
      'set-cookie': `${parts.cookieName}=${tokens.cookie}; Path=/; HttpOnly; SameSite=Strict`,
    });
    exchange.response.end();
  } else if (mayTry) {
    parts.limiter.count();
    sendText(exchange, 403, 'text/html; charset=utf-8', buildStartAgainPage(exchange.nonce));
  } else refuseStranger(exchange, parts.limiter, 403);
}

/**
 * Answers with the window's files. They hold nothing of anybody's, so they need no session: a browser that was
 * sent here by another program doesn't send a strict cookie with its first request.
 */
async function answerFile(exchange: Exchange, folder: string): Promise<void> {
  const file = await tryReadWindowFile(folder, exchange.path);
  if (file === null) {
    refuse(exchange, 404);
    return;
  }
  if (file.isHashed) exchange.response.setHeader('cache-control', 'private, max-age=31536000, immutable');
  const isPage = file.mediaType.startsWith('text/html');
  const content = isPage ? insertNonce(file.content.toString('utf8'), exchange.nonce) : file.content;
  sendText(exchange, 200, file.mediaType, content);
}

/** Answers everything outside /api. */
export async function answerPages(exchange: Exchange, folder: string, parts: ApiParts): Promise<void> {
  const { method } = exchange.request;
  const isLaunch = exchange.path === '/launch';
  if (method !== 'GET' && (method !== 'HEAD' || isLaunch)) {
    refuse(exchange, 405, { allow: isLaunch ? 'GET' : 'GET, HEAD' });
  } else if (isLaunch) answerLaunch(exchange, parts);
  else if (exchange.path === '/start-again') {
    sendText(exchange, 200, 'text/html; charset=utf-8', buildStartAgainPage(exchange.nonce));
  } else await answerFile(exchange, folder);
}
