import type { FastifyReply, FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import { TokenRequest, type TokenResponse } from '../../common/reporting/wire-schemas.ts';
import { matchesCredentials } from '../credentials.ts';
import type { RecordStore } from '../store/record-store.ts';
import { sendEmpty, sendProblem } from './problem.ts';
import type { RefusalCounter } from './refusal-counter.ts';
import type { TokenKeeper } from './token-keeper.ts';

export interface TokenRouteParts {
  readonly store: RecordStore;
  readonly tenant: number;
  readonly tokens: TokenKeeper;
  readonly refusals: RefusalCounter;
}

/** Operation 1, Create token. 200, 400 (decision 16), 401 with no body, 429 with Retry-After (decision 24). */
export function answerCreateToken(
  parts: TokenRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const waitSeconds = parts.refusals.getWaitSeconds(request.ip);
  if (waitSeconds > 0) return sendEmpty(reply.header('retry-after', String(waitSeconds)), 429);
  const body = tryParseBody(request.body);
  if (!Value.Check(TokenRequest, body)) {
    return sendProblem(
      reply,
      400,
      'The body is a JSON object with accessToken (string), accessTokenSecret (string) and tenant (number).',
    );
  }
  const matches = matchesCredentials(parts.store.properties, body);
  if (!matches || body.tenant !== parts.tenant) {
    parts.refusals.add(request.ip);
    return sendEmpty(reply, 401);
  }
  const response: TokenResponse = { token: parts.tokens.issue() };
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(response));
}

function tryParseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
