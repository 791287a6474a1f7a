import type { IncomingMessage } from 'node:http';
import { countHeader } from '../../node/http/guard-request.ts';
import type { TokenIssuer } from '../tokens/token-issuer.ts';

/**
 * Decision 13: without an Authorization header a request has access, unless tokens are required; with one, only a
 * valid token has. The word before the token may be in any letter case (decision 15).
 */
export async function hasAccess(
  request: IncomingMessage,
  tokens: TokenIssuer,
  requireToken: boolean,
): Promise<boolean> {
  const header = request.headers.authorization;
  if (header === undefined) return !requireToken;
  if (countHeader(request, 'authorization') > 1) return false;
  const match = /^bearer +([\w-]{1,128})$/i.exec(header);
  return match?.[1] !== undefined && (await tokens.isValid(match[1]));
}
