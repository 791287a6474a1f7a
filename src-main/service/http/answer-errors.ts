import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OPENAPI_PATH } from '../openapi/openapi-path.ts';
import { sendEmpty, sendProblem } from './problem.ts';

const OPERATION_PATH = /^\/api\/ServiceReporting\/(CreateToken|Status\/[^/]+|ExecuteReport\/[^/]+\/[^/]+)$/;

/**
 * Answers what no route answers: 404 or 405 with no body (decision 19), a problem document for a body that
 * can't be taken, 503 while the store can't be read, 500 for a fault of the service's own.
 */
export function setErrorAnswers(app: FastifyInstance, reportError: (error: unknown) => void): void {
  app.setNotFoundHandler(answerUnknown);
  // Before a body is read: what it holds and how it is typed is of no interest here.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void answerUnknown(request, reply);
    else done();
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? (isStoreFault(error) ? 503 : 500);
    if (status >= 500) reportError(error);
    if (status === 503) void reply.header('retry-after', '1');
    return sendProblem(reply, status);
  });
}

function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = path === OPENAPI_PATH ? 'GET' : 'POST';
  const isKnown = path === OPENAPI_PATH || OPERATION_PATH.test(path);
  if (!isKnown || request.method === allowed) return sendEmpty(reply, 404);
  return sendEmpty(reply.header('allow', allowed), 405);
}

/** A database that is busy, damaged or out of room: it may be well again at the next request. */
function isStoreFault(error: FastifyError): boolean {
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_');
}
