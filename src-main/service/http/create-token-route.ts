import type { FastifyReply, FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import { TokenRequest, type RequestFault, type TokenResponse } from '../../common/reporting/wire-schemas.ts';
import { sendEmpty, sendProblem } from '../../node/http/problem.ts';
import { tryReadJsonBody } from '../../node/http/read-json-body.ts';
import type { ServedTenants } from '../tenants/served-tenant.ts';
import type { RefusalLimiter } from './refusal-limiter.ts';

export interface TokenRouteParts {
  readonly tenants: ServedTenants;
  readonly refusals: RefusalLimiter;
}

/** Operation 1, Create token. 200, 400 (decision 16), 401 with no body, 429 with Retry-After (decision 24). */
export async function sendCreatedToken(
  { refusals, tenants }: TokenRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = tryReadJsonBody(request.body);
  const isWellFormed = Value.Check(TokenRequest, body);
  const served = isWellFormed ? await tenants.authenticate(body) : undefined;
  const isRefused = isWellFormed && served === undefined;
  // Others may have been refused while this body was on its way.
  const waitSeconds = await (isRefused
    ? refusals.add(request.ip, body.tenant)
    : refusals.readWaitSeconds(request.ip, isWellFormed ? body.tenant : null));
  if (waitSeconds > 0) return sendSlowDown(reply, waitSeconds);
  if (!isWellFormed) return sendProblem(reply, 400, listFaults(body));
  if (served === undefined) return sendEmpty(reply, 401);
  const response: TokenResponse = { token: await served.tokens.issue() };
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(response));
}

/** Slows guessing down before a body is read (decision 24). */
export function createGuessingBrake(refusals: RefusalLimiter) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const waitSeconds = refusals.getKnownWaitSeconds(request.ip);
    if (waitSeconds === 0) done();
    else void sendSlowDown(reply.header('connection', 'close'), waitSeconds);
  };
}

function sendSlowDown(reply: FastifyReply, waitSeconds: number): FastifyReply {
  return sendEmpty(reply.header('retry-after', String(waitSeconds)), 429);
}

/** Names the fields that are not as specified; never what was sent in them. */
function listFaults(body: unknown): RequestFault[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ field: 'body', message: 'The body is not a JSON object.' }];
  }
  const given = new Map<string, unknown>(Object.entries(body));
  const faults = Object.entries(TokenRequest.properties)
    .filter(([field, schema]) => !Value.Check(schema, given.get(field)))
    .map(([field, schema]) => ({ field, message: `The field is missing or not ${describe(schema.type)}.` }));
  if (faults.length > 0) return faults;
  const message = 'The body has fields besides accessToken, accessTokenSecret and tenant.';
  return [{ field: 'body', message }];
}

function describe(type: string): string {
  return type === 'string' ? 'a text of 1 to 1,024 characters' : 'a whole number from 0';
}
