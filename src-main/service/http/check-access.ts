import type { IncomingMessage } from 'node:http';
import type { TokenKeeper } from './token-keeper.ts';

/**
 * Decision 13: without an Authorization header a request is answered, unless tokens are required; with one,
 * only a valid token is. The word before the token may be in any letter case (decision 15).
 */
export function hasAccess(request: IncomingMessage, tokens: TokenKeeper, requireToken: boolean): boolean {
  const given = request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  const [header] = given;
  if (header === undefined) return !requireToken;
  if (given.length > 1) return false;
  const match = /^bearer +([\w-]{1,128})$/i.exec(header);
  return match?.[1] !== undefined && tokens.accepts(match[1]);
}
