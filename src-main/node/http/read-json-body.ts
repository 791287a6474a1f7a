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
    return isUnambiguous(text) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Looks through valid JSON for members named twice and for its depth. */
function isUnambiguous(text: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') {
      if (open.push(new Set()) > MAX_DEPTH) return false;
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === '"') {
      const end = findStringEnd(text, at);
      const names = open.at(-1);
      if (names !== undefined && isFollowedByColon(text, end)) {
        const name = readString(text, at, end);
        if (names.has(name)) return false;
        names.add(name);
      }
      at = end;
    }
  }
  return true;
}

function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Only the name of a member is followed by a colon. */
function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

function readString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end);
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner;
}
