import type { FastifyReply, FastifyRequest } from 'fastify';
import { countHeader } from '../node/http/guard-request.ts';
import { refuse } from '../node/http/problem.ts';

/** Runs before a body is read; responds itself when it doesn't call `done`. */
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** A hook that refuses other methods with 405. */
export function allowMethods(...methods: readonly string[]): Hook {
  return (request, reply, done) => {
    if (methods.includes(request.method)) done();
    else void refuse(reply.header('allow', methods.join(', ')), 405);
  };
}

/**
 * A hook that accepts calls only from a page of the same address; calls of other pages on this computer, and of the
 * application's page under another name, are rejected. The address itself was checked before.
 */
export const refuseForeignOrigin: Hook = (request, reply, done) => {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const isOwnOrigin =
    origin === undefined
      ? isReading
      : origin === `http://${host ?? ''}` && countHeader(request.raw, 'origin') === 1;
  if (isOwnOrigin && (site === undefined || site === 'same-origin')) done();
  else void refuse(reply, 403);
};
