import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from './problem.ts';

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
