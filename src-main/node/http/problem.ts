import type { FastifyReply } from 'fastify';
import type { Problem, RequestFault } from '../../common/reporting/wire-schemas.ts';
import { http } from './builtin-http.ts';

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
