import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { capConnections } from './connection-cap.ts';
import { PROBLEM_TYPE, SAFE_HEADERS, sendProblem, writeProblem } from './problem.ts';

/** What one client may take from the service. Times in milliseconds, sizes in bytes. */
export const SERVER_LIMITS = {
  logger: false as const,
  trustProxy: false,
  bodyLimit: 65_536,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  maxRequestsPerSocket: 10_000,
  forceCloseConnections: 'idle' as const,
  return503OnClosing: false,
  exposeHeadRoutes: false,
  // No operation takes a query (specification, "Payloads and responses", rule 3): none is read.
  routerOptions: { maxParamLength: 100, querystringParser: () => ({}) },
  http: { headersTimeout: 5_000, maxHeaderSize: 16_384, connectionsCheckingInterval: 500 },
  frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
    void sendProblem(reply.headers(SAFE_HEADERS), error.statusCode ?? 400);
  },
};

const MOST_CONNECTIONS = 256;
const LINGER_MS = 1_000;

const CLIENT_ERROR_STATUS: Readonly<Record<string, 408 | 413 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Bounds connections, and reads every body as bytes: each route judges them on its own. */
export function setLimits(app: FastifyInstance): void {
  capConnections(app.server, MOST_CONNECTIONS);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/**
 * Operations with a body take JSON in UTF-8, uncompressed (decision 17). A body that doesn't name its type is
 * refused too: pages of other sites may send such a body without asking first.
 */
export function refuseUnsupportedBodies(
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  const isJson =
    type === undefined ? !hasBody(request) : /^application\/json *(; *charset="?utf-8"? *)?$/i.test(type);
  if (isJson && (encoding === undefined || encoding === 'identity')) done();
  else void sendProblem(reply.header('connection', 'close'), 415);
}

/** The body of the status operation is ignored, so its type is too (decision 18). */
export function ignoreBodyType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  delete request.headers['content-type'];
  done();
}

function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return coding !== undefined || length !== '0';
}

/** Answers what could not be read as a request, closes the connection, and tells `report` the status. */
export function createClientErrorHandler(report: (status: number) => void) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const status = CLIENT_ERROR_STATUS[error.code ?? ''] ?? 400;
    report(status);
    socket.end(writeRawProblem(status));
    // An answer that is cut off by what still arrives would not be read; one that never leaves must not stay.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

function writeRawProblem(status: number): string {
  const body = writeProblem(status);
  const headers = {
    ...SAFE_HEADERS,
    'content-type': PROBLEM_TYPE,
    'content-length': String(body.length),
    connection: 'close',
  };
  const { title } = JSON.parse(body) as { title: string };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${String(status)} ${title}`, ...lines, '', body].join('\r\n');
}
