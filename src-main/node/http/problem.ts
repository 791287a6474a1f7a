import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem, RequestFault } from '../../common/reporting/wire-documents.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A problem document (RFC 9457) as JSON text; it never repeats what was sent. */
export function writeProblem(status: number, errors?: RequestFault[]): string {
  const problem: Problem = { type: 'about:blank', title: toReason(status), status };
  if (errors !== undefined) problem.errors = errors;
  return JSON.stringify(problem);
}

/** The reason phrase of a status. */
export function toReason(status: number): string {
  return http.STATUS_CODES[status] ?? 'Error';
}

/** Responds with a problem document; `errors` names the fields at fault. */
export function sendProblem(reply: FastifyReply, status: number, errors?: RequestFault[]): FastifyReply {
  return reply.code(status).type(PROBLEM_TYPE).send(writeProblem(status, errors));
}

/** Responds with a problem document and closes the connection: the rest of the request may be unread. */
export function refuse(reply: FastifyReply, status: number): FastifyReply {
  return sendProblem(reply.header('connection', 'close'), status);
}

/** Responds with a status and no body. */
export function sendEmpty(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).send();
}

const MAX_DEPTH = 32;
const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/iu;

/**
 * A hook that refuses, with 415 and before it is read, every body but JSON in UTF-8, uncompressed (decision 17). A body
 * that doesn't name its type is refused too: pages of other sites may send such a body, or a form, without asking first.
 */
export function requireJsonBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  const isJson = type === undefined ? !hasBody(request) : JSON_TYPE.test(type);
  if (isJson && (encoding === undefined || encoding === 'identity')) done();
  else void refuse(reply, 415);
}

/** A hook for routes that ignore their body, and so its type (decision 18). */
export function ignoreBodyType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  delete request.headers['content-type'];
  done();
}

function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return coding !== undefined || length !== '0';
}

/**
 * The content of a request body. Undefined when it is not JSON in UTF-8, is nested deeper than 32 levels, or
 * names a member of an object twice: readers disagree about which of the two counts.
 */
export function tryReadJsonBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || !isUtf8(body)) return undefined;
  const whole = body.toString();
  const text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole;
  try {
    const content: unknown = JSON.parse(text);
    return countNames(text) === countMembers(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Only the name of a member is a string that a colon follows. The text is valid JSON. */
function countNames(text: string): number {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)];
  return strings.filter(([, colon]) => colon !== undefined).length;
}

/** The members of all objects in a value, without repeated ones; NaN when it is nested too deep. */
function countMembers(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === MAX_DEPTH) return NaN;
  const children: unknown[] = Object.values(value);
  return children.reduce<number>(
    (count, child) => count + countMembers(child, depth + 1),
    Array.isArray(value) ? 0 : children.length,
  );
}

/**
 * Node's `http`. Imported as a module, it would bring Node's whole fetch with it, WebSockets included: 30 ms of each
 * process and thread that may never need it.
 */
export const http = process.getBuiltinModule('node:http');

export const FAILURE_WINDOW_MS = 60_000;
export const MAX_FAILURES = 10;
const MAX_ADDRESSES = 5_000;

/** Slows down guessing of secrets: ten failures in a minute make an address wait (decision 24). */
export interface FailureLimiter {
  add(address: string): void;
  /** Whole seconds until this address may try again; 0 when it may now. */
  getWaitSeconds(address: string): number;
}

/** Counts failures by address, for 5,000 addresses at most. `now` is in milliseconds. */
export function createFailureLimiter(now: () => number): FailureLimiter {
  const failures = new Map<string, number[]>();
  const listRecent = (address: string): number[] => {
    const sinceMs = now() - FAILURE_WINDOW_MS;
    return (failures.get(address) ?? []).filter((atMs) => atMs > sinceMs);
  };
  return {
    add: (address) => {
      const recent = listRecent(address);
      failures.delete(address);
      failures.set(address, [...recent, now()].slice(-MAX_FAILURES));
      const oldest = failures.keys().next();
      if (failures.size > MAX_ADDRESSES && oldest.done !== true) failures.delete(oldest.value);
    },
    getWaitSeconds: (address) => toWaitSeconds(listRecent(address), now()),
  };
}

/** Whole seconds to wait after these failures, oldest first, all within the window; 0 for fewer than `maxFailures`. */
export function toWaitSeconds(
  recentMs: readonly number[],
  nowMs: number,
  maxFailures = MAX_FAILURES,
): number {
  const first = recentMs.at(-maxFailures);
  if (first === undefined) return 0;
  return Math.max(1, Math.ceil((first + FAILURE_WINDOW_MS - nowMs) / 1000));
}
