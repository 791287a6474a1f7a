import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendEmpty } from '../../node/http/problem.ts';
import { CREATE_TOKEN_PATH, toReportPath, toStatusPath } from '../../common/reporting/paths.ts';
import { OPENAPI_PATH } from '../openapi/openapi-path.ts';

const OPERATION_PATH = new RegExp(
  `^(${CREATE_TOKEN_PATH}|${toStatusPath('[^/]+')}|${toReportPath('[^/]+', '[^/]+')})$`,
);

/** Responds to what no route takes: 404, or 405 for a known path with another method, with no body (decision 19). */
export function handleUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler(refuseUnknownPath);
  // Before a body is read: neither what it holds nor its type matters here.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void refuseUnknownPath(request, reply);
    else done();
  });
}

function refuseUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = path === OPENAPI_PATH ? 'GET' : 'POST';
  const isKnown = path === OPENAPI_PATH || OPERATION_PATH.test(path);
  if (!isKnown || request.method === allowed) return sendEmpty(reply, 404);
  return sendEmpty(reply.header('allow', allowed), 405);
}
