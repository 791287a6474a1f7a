import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Answers with `application/problem+json`: a title and, where it helps, a detail; never what was sent. */
export function sendProblem(reply: FastifyReply, status: number, detail?: string): FastifyReply {
  const title = STATUS_CODES[status] ?? 'Error';
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .send(
      JSON.stringify({ type: 'about:blank', title, status, ...(detail === undefined ? {} : { detail }) }),
    );
}

/** Answers with a status and no body. */
export function sendEmpty(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).send();
}
