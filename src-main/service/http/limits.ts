import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';

/** What one client may take from the service. Times in milliseconds, sizes in bytes. */
export const SERVER_LIMITS = {
  logger: false as const,
  trustProxy: false,
  bodyLimit: 65_536,
  requestTimeout: 15_000,
  keepAliveTimeout: 30_000,
  maxRequestsPerSocket: 10_000,
  forceCloseConnections: 'idle' as const,
  routerOptions: { maxParamLength: 100 },
  http: { headersTimeout: 5_000, maxHeaderSize: 16_384, connectionsCheckingInterval: 1_000 },
  frameworkErrors: (_error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
    void sendProblem(reply, 400);
  },
  clientErrorHandler: answerClientError,
};

const CONNECTIONS = 256;

const CLIENT_ERROR_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Bounds connections, and reads every body as bytes: each route judges them on its own. */
export function setLimits(app: FastifyInstance): void {
  const server: Server = app.server;
  server.maxConnections = CONNECTIONS;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/** Operations with a body take JSON in UTF-8, uncompressed (decision 17); a missing content type is let pass. */
export function refuseUnsupportedBodies(
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const type = request.headers['content-type'];
  const isJson = type === undefined || /^application\/json *(; *charset="?utf-8"? *)?$/i.test(type);
  const encoding = request.headers['content-encoding'];
  if (isJson && (encoding === undefined || encoding === 'identity')) done();
  else void sendProblem(reply.header('connection', 'close'), 415);
}

function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = CLIENT_ERROR_STATUS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
