import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Problem, RequestFault } from '../../common/reporting/wire-schemas.ts';

/** Every answer carries these: nothing is kept, guessed, framed or read by a page of another site. */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A problem document (RFC 9457) as JSON text; never what was sent. */
export function writeProblem(status: number, errors?: RequestFault[]): string {
  const title = STATUS_CODES[status] ?? 'Error';
  const problem: Problem = {
    type: 'about:blank',
    title,
    status,
    ...(errors === undefined ? {} : { errors }),
  };
  return JSON.stringify(problem);
}

/** Answers with a problem document; `errors` names fields that are at fault. */
export function sendProblem(reply: FastifyReply, status: number, errors?: RequestFault[]): FastifyReply {
  return reply.code(status).type(PROBLEM_TYPE).send(writeProblem(status, errors));
}

/** Answers with a status and no body. */
export function sendEmpty(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).send();
}
