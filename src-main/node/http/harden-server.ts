import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_TYPE, refuse, sendEmpty, sendProblem, toReason, writeProblem } from './problem.ts';

const MAX_CONNECTIONS = 256;
/** Browsers open connections ahead of need, and open another when one was closed unused. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const LINGER_MS = 1_000;

/** What a server on this computer protects itself with. */
export interface ServerHardening {
  /** Names, in lower case, that a Host header may have besides the address of the connection. */
  readonly hostNames: readonly string[];
  /** What Host may be besides, in lower case, with its port where it has one: the names of a proxy in front. */
  readonly publicHosts?: readonly string[];
  /** Addresses or ranges of proxies that are believed about whom they call for; none unless given. */
  readonly trustedProxies?: readonly string[];
  /** Headers of every response, refusals included. */
  readonly createHeaders: () => Readonly<Record<string, string>>;
  readonly maxBodyBytes: number;
  /** The one path whose bodies may take longer than ten seconds, and how long. */
  readonly upload?: { readonly path: string; readonly timeoutMs: number };
  /** What becomes of connections in use, none of them trusted, when there are too many: see `capConnections`. */
  readonly strangers: 'stay' | 'yield';
  /** `busy` connections are cut off when the server closes, `idle` ones only are otherwise. */
  readonly closing: 'idle' | 'busy';
  /** The status for a path that can't be decoded. */
  readonly undecodablePath: 400 | 404;
  /** Called with the status when something arrived that can't be read as a request. */
  readonly onUnreadable?: (status: number) => void;
  /** Called with every error that is the server's own fault, and the identifier of the request that met it. */
  readonly onError: (error: unknown, requestId: string) => void;
  /** Whether the same request may succeed in a second; 503 is sent then, else 500. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** Options to create a fastify instance with: nothing is logged, guessed or forwarded, and everything has a limit. */
export function toServerOptions(hardening: ServerHardening) {
  return {
    logger: false as const,
    trustProxy: hardening.trustedProxies?.length ? [...hardening.trustedProxies] : false,
    bodyLimit: hardening.maxBodyBytes,
    requestTimeout: hardening.upload?.timeoutMs ?? REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 30_000,
    maxRequestsPerSocket: 10_000,
    forceCloseConnections: hardening.closing === 'busy' ? true : ('idle' as const),
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // No route takes a query: none is read.
    routerOptions: { maxParamLength: 100, querystringParser: () => ({}) },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: 16_384,
      connectionsCheckingInterval: 500,
      // A missing Host is refused like a foreign one, with all headers.
      requireHostHeader: false,
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const { undecodablePath } = hardening;
      const status = error.code === 'FST_ERR_BAD_URL' ? undecodablePath : (error.statusCode ?? 400);
      if (!refuseForeign(hardening, request, reply)) void sendProblem(reply, status);
    },
    clientErrorHandler: createClientErrorHandler(hardening),
  };
}

/**
 * Guards every request, bounds connections, hands bodies to the routes as bytes, and turns errors into problem documents
 * that never repeat what was sent. Silent connections are closed after five seconds, requests that drip after ten. To be
 * called before any hook or route is added.
 */
export function hardenServer(app: FastifyInstance, hardening: ServerHardening): Connections {
  const { hostNames, publicHosts, strangers, upload } = hardening;
  const connections = capConnections(app.server, { maxConnections: MAX_CONNECTIONS, strangers });
  meetExpectations(app.server, (request) => findForeignRequest(request, hostNames, publicHosts) === null);
  app.addHook('onRequest', (request, reply, done) => {
    if (!refuseForeign(hardening, request, reply) && !refuseUnmetExpectation(request, reply)) done();
  });
  if (upload !== undefined) app.addHook('onRequest', limitBodies(REQUEST_TIMEOUT_MS, upload.path));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? (hardening.isTransient?.(error) === true ? 503 : 500);
    // A client that went away while it was sending or receiving is nobody's fault.
    const isGone = request.raw.destroyed && reply.raw.destroyed;
    if (status >= 500 && !isGone) hardening.onError(error, request.id);
    if (status === 503) void reply.header('retry-after', '1');
    // The rest of a body that was refused is not read.
    if (!request.raw.complete) void reply.header('connection', 'close');
    return sendProblem(reply, status);
  });
  return connections;
}

/** Sets the headers of the response; true when the request was refused. */
function refuseForeign(
  { createHeaders, hostNames, publicHosts }: ServerHardening,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  void reply.headers(createHeaders());
  const status = findForeignRequest(request.raw, hostNames, publicHosts);
  if (status === null) return false;
  // Tells nothing to what may be a page of another site.
  if (status === 421) void sendEmpty(reply.header('connection', 'close'), status);
  else void refuse(reply, status);
  return true;
}

const CLIENT_ERROR_STATUS: Readonly<Record<string, 408 | 413 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Responds to what can't be read as a request, and closes the connection. */
function createClientErrorHandler({ createHeaders, onUnreadable }: ServerHardening) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const status = CLIENT_ERROR_STATUS[error.code ?? ''] ?? 400;
    onUnreadable?.(status);
    const refuseBytes = (): void => {
      if (socket.writable) socket.end(writeRawProblem(status, createHeaders()));
      // A response that is cut off by what still arrives would not be read; one that never leaves must not stay.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    };
    // A whole request before it is served first: its response may still be on the way.
    const { _httpMessage: pending } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
    if (pending?.req.complete === true && !pending.writableFinished) pending.once('close', refuseBytes);
    else refuseBytes();
  };
}

function writeRawProblem(status: number, safeHeaders: Readonly<Record<string, string>>): string {
  const body = writeProblem(status);
  const headers = {
    ...safeHeaders,
    'content-type': PROBLEM_TYPE,
    'content-length': String(body.length),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${toReason(status)}`, ...lines, '', body].join('\r\n');
}

/**
 * Lets a client that waits with its body go on only once `isOwn` finds its request meant for this server; any other
 * expectation is left to `refuseUnmetExpectation`. Node would meet the one and refuse the other before any hook runs.
 */
function meetExpectations(server: Server, isOwn: (request: IncomingMessage) => boolean): void {
  server.on('checkContinue', (request, response) => {
    if (isOwn(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}

/** Refuses, with 417 and no body, a request that expects anything but to go on with its body; true when it did. */
function refuseUnmetExpectation(request: FastifyRequest, reply: FastifyReply): boolean {
  const { expect } = request.headers;
  if (expect === undefined || expect.trim().toLowerCase() === '100-continue') return false;
  void sendEmpty(reply.header('connection', 'close'), 417);
  return true;
}

/** Makes a hook that ends, with 408, requests whose body isn't whole in time. `exemptPath` has a limit of its own. */
function limitBodies(timeoutMs: number, exemptPath: string) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    done();
    if (raw.complete || request.url === exemptPath) return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      if (reply.sent) raw.socket.destroy();
      else void refuse(reply, 408);
    }, timeoutMs).unref();
    raw.once('close', () => {
      clearTimeout(timer);
    });
  };
}

/** The connections of a server. */
export interface Connections {
  /** Marks a connection whose requests proved who sends them: no stranger's ever takes its place. */
  trust(socket: Socket): void;
}

/**
 * Keeps at most `maxConnections` open. One more closes the connection that has been idle for longest, so that a crowd
 * of silent ones can't keep anybody out. Where none is idle, the new one is closed; with `strangers: 'yield'` the
 * oldest one in use that isn't trusted is, so that a crowd that never reads its responses keeps nobody out either.
 */
function capConnections(
  server: Server,
  { maxConnections, strangers }: { readonly maxConnections: number; readonly strangers: 'stay' | 'yield' },
): Connections {
  const trusted = new WeakSet<Socket>();
  const open = new Set<Socket>();
  // In order of when each was last in use.
  const idle = new Set<Socket>();
  const forget = (socket: Socket): void => {
    open.delete(socket);
    idle.delete(socket);
  };
  const isStranger = (socket: Socket): boolean => !trusted.has(socket);
  const findOldest = (): Socket | undefined => {
    if (strangers === 'stay') return first(idle);
    return first(idle, isStranger) ?? first(open, isStranger) ?? first(idle);
  };
  server.maxConnections = maxConnections * 2;
  server.on('connection', (socket) => {
    if (open.size >= maxConnections) {
      const oldest = findOldest() ?? socket;
      forget(oldest);
      oldest.destroy();
      if (oldest === socket) return;
    }
    open.add(socket);
    idle.add(socket);
    socket.once('close', () => {
      forget(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) idle.add(socket);
    });
  });
  return { trust: (socket) => trusted.add(socket) };
}

function first(sockets: ReadonlySet<Socket>, isMeant?: (socket: Socket) => boolean): Socket | undefined {
  for (const socket of sockets) if (isMeant?.(socket) ?? true) return socket;
  return undefined;
}

const MAX_HEADER_LINES = 64;
const MAX_TARGET_LENGTH = 4_096;
const AUTHORITY = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/u;

/**
 * The status to refuse a request with that wasn't meant for this server, or null. Protects a server on loopback from
 * pages that resolve their own name to 127.0.0.1: the Host must be one of `hostNames` or the address of the connection,
 * with the port of the connection, or as a whole one of `publicHosts`, under which a proxy is called. Targets in another
 * form than a path are refused too.
 */
function findForeignRequest(
  request: IncomingMessage,
  hostNames: readonly string[],
  publicHosts: readonly string[] = [],
): 400 | 414 | 421 | 431 | null {
  const target = request.url ?? '';
  if (request.httpVersion !== '1.1') return 400;
  if (target.length > MAX_TARGET_LENGTH) return 414;
  if (!target.startsWith('/') || target.startsWith('//') || /[\p{Cc} #\\]/u.test(target)) return 400;
  if (request.rawHeaders.length > MAX_HEADER_LINES * 2) return 431;
  if (countHeader(request, 'host') !== 1) return 421;
  const authority = (request.headers.host ?? '').toLowerCase();
  return publicHosts.includes(authority) || isOwnAuthority(request, authority, hostNames) ? null : 421;
}

/** How often a header was sent; Node joins or drops the repeated ones. `name` is in lower case. */
export function countHeader(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

function isOwnAuthority(request: IncomingMessage, authority: string, hostNames: readonly string[]): boolean {
  const match = AUTHORITY.exec(authority);
  if (match === null) return false;
  const [, rawName = '', port = '80'] = match;
  const name = rawName.replace(/^\[|\]$/gu, '');
  const { localAddress, localPort } = request.socket as Partial<IncomingMessage['socket']>;
  // A request that was injected rather than received has no port to compare with.
  if (localPort !== undefined && Number(port) !== localPort) return false;
  return hostNames.includes(name) || name === localAddress?.replace(/^::ffff:/u, '');
}
