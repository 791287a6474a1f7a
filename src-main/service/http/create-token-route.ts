import type { FastifyReply, FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import {
  type RequestFault,
  TokenRequest,
  type TokenResponse,
} from '../../common/reporting/wire-documents.ts';
import { createFailureLimiter, sendEmpty, sendProblem, tryReadJsonBody } from '../../node/http/problem.ts';
import type { RefusalWait, SharedRefusals } from '../store/record-store.ts';
import type { ServedTenants } from '../tenants/served-tenant.ts';

interface TokenRouteParts {
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

const MAX_KNOWN = 5_000;

/**
 * Slows down guessing of credentials (decision 24): ten refusals within a minute make an address wait. Waits are in
 * whole seconds, 0 for none. A tenant of null is one that is not known yet.
 */
export interface RefusalLimiter {
  /** What this process knows without asking anyone, whichever tenant is tried. */
  getKnownWaitSeconds(address: string): number;
  readWaitSeconds(address: string, tenant: number | null): Promise<number>;
  /** Counts a refusal, unless the address has to wait. */
  add(address: string, tenant: number): Promise<number>;
}

/** Counts for this process alone, and its one tenant. `elapsedMs` is a clock that never goes back. */
export function createOwnRefusalLimiter(elapsedMs: () => number): RefusalLimiter {
  const failures = createFailureLimiter(elapsedMs);
  return {
    getKnownWaitSeconds: failures.getWaitSeconds,
    readWaitSeconds: (address) => Promise.resolve(failures.getWaitSeconds(address)),
    add: (address) => {
      const waitSeconds = failures.getWaitSeconds(address);
      if (waitSeconds === 0) failures.add(address);
      return Promise.resolve(waitSeconds);
    },
  };
}

/**
 * Counts together with other processes, by tenant. An address that has to wait is remembered here until its wait is
 * over.
 */
export function createSharedRefusalLimiter(
  refusals: SharedRefusals,
  elapsedMs: () => number,
): RefusalLimiter {
  const untilMs = new Map<string, number>();
  const getKnown = (key: string): number =>
    Math.max(0, Math.ceil(((untilMs.get(key) ?? 0) - elapsedMs()) / 1000));
  const toKey = (address: string, tenant: number | null): string => `${address} ${tenant ?? ''}`;
  const remember = (address: string, tenant: number | null, wait: RefusalWait): number => {
    const key = wait.isForEveryTenant ? address : toKey(address, tenant);
    untilMs.delete(key);
    if (wait.seconds > 0) untilMs.set(key, elapsedMs() + wait.seconds * 1000);
    const oldest = untilMs.keys().next();
    if (untilMs.size > MAX_KNOWN && oldest.done !== true) untilMs.delete(oldest.value);
    return wait.seconds;
  };
  return {
    getKnownWaitSeconds: getKnown,
    readWaitSeconds: async (address, tenant) => {
      const known = Math.max(getKnown(address), getKnown(toKey(address, tenant)));
      return known > 0 ? known : remember(address, tenant, await refusals.read(address, tenant));
    },
    add: async (address, tenant) => remember(address, tenant, await refusals.add(address, tenant)),
  };
}
