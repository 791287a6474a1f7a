import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import fastifyCookie from '@fastify/cookie';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError, toErrorInfo } from '../common/contract/errors.ts';
import { type Envelope, EVENT_POSITION_HEADER } from '../common/contract/operation.ts';
import { createWords } from '../common/words/words.ts';
import type { Core } from '../core/create-core.ts';
import type { Dispatch } from '../core/dispatch/create-dispatcher.ts';
import {
  buildSecurityHeaders,
  createNonce,
  insertNonce,
  type PageConnections,
  readWindowFile,
} from '../core/window/window-files.ts';
import { fetchDevelopmentFile } from '../node/http/fetch-development-file.ts';
import { hardenServer, type ServerHardening, toServerOptions } from '../node/http/harden-server.ts';
import {
  createFailureLimiter,
  type FailureLimiter,
  refuse,
  requireJsonBody,
  tryReadJsonBody,
} from '../node/http/problem.ts';
import { buildComeBackPage } from './launch-file.ts';
import { type ExportDownloads, type ImportUploads, sendDownload } from './transfers.ts';
import {
  allowMethods,
  type BrowserLanguages,
  createSessionGuard,
  createWebSessions,
  findFreePort,
  readAcceptLanguage,
  readKeptPlace,
  refuseForeignOrigin,
  refuseWhileSlowedDown,
  type SessionGuard,
  type WebSessions,
  writeKeptPlace,
} from './web-sessions.ts';

const ICON_SIZES = [128, 256, 512];

/** Where browsers find the icons that the manifest names. */
const ICON_PATH = '/icons';
const MANIFEST_PATH = '/manifest.webmanifest';

interface PageParts {
  readonly guard: SessionGuard;
  readonly failures: FailureLimiter;
  /** What the browser says of itself. */
  readonly languages: Pick<BrowserLanguages, 'note'>;
  /** Answers the challenge of a page that waits for its host. */
  readonly prove: WebSessions['prove'];
  /** The built window. */
  readonly windowFolder: string;
  /** Whether it was started with a data folder of the person's choice. */
  readonly hasOwnFolder: boolean;
  /** The icon in each size. */
  readonly iconFolder: string;
  /** Address of a server that rebuilds the window as it is changed; null for the built one. */
  readonly developmentServer: string | null;
}

/** In hexadecimal. */
const TEXT_OF_32_BYTES = /^[0-9a-f]{64}$/u;

/**
 * Everything outside /api. The window's files hold no user's data, so they need no session: a browser that
 * another program opened doesn't send a strict cookie with its first request.
 */
function addPageRoutes(
  app: FastifyInstance,
  { guard, failures, languages, prove, windowFolder, hasOwnFolder, iconFolder, developmentServer }: PageParts,
): void {
  const sendComeBackPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const words = createWords('system', readAcceptLanguage(request.headers['accept-language'] ?? ''));
    return sendPage(reply, (nonce) => buildComeBackPage(nonce, words, hasOwnFolder));
  };
  app.all('/launch', { onRequest: allowMethods('GET') }, (request, reply) => {
    const launchToken = readLaunchToken(request);
    const header = launchToken === null ? null : guard.startSession(request, reply, launchToken);
    if (header !== null) {
      // The header token travels in the fragment, which no server receives.
      void reply.redirect(`/#session=${header}`, 303);
      // Only wrong tokens wait: whoever sends those must not lock the right one out.
    } else if (!refuseWhileSlowedDown(request, reply, failures)) {
      failures.add(request.ip);
      void sendComeBackPage(request, reply.code(403));
    }
  });
  app.all<{ Params: { session: string; challenge: string } }>(
    '/proof/:session/:challenge',
    { onRequest: allowMethods('GET') },
    ({ params }, reply) => {
      const proof = TEXT_OF_32_BYTES.test(params.challenge) ? prove(params.session, params.challenge) : null;
      return proof === null ? refuse(reply, 404) : reply.send({ proof });
    },
  );
  const reading = { onRequest: allowMethods('GET', 'HEAD') };
  app.all('/come-back', reading, sendComeBackPage);
  app.all(MANIFEST_PATH, reading, (_request, reply) =>
    reply.type('application/manifest+json').send(JSON.stringify(buildManifest())),
  );
  app.all<{ Params: { name: string } }>(`${ICON_PATH}/:name`, reading, ({ params }, reply) => {
    const name = findIconName(params.name);
    if (name === null) return refuse(reply, 404);
    return reply.type('image/png').send(readFileSync(join(iconFolder, name)));
  });
  app.all('/*', reading, (request, reply) => {
    if (developmentServer !== null) return sendDevelopmentFile(request, reply, developmentServer);
    const file = readWindowFile(windowFolder, request.url.split('?', 1)[0] ?? '');
    if (file === null) return refuse(reply, 404);
    void reply.headers(file.headers);
    if (!file.mediaType.startsWith('text/html'))
      return reply.type(toWebType(file.mediaType)).send(file.bytes);
    languages.note(request.headers['accept-language']);
    const html = file.bytes.toString('utf8');
    return sendPage(reply, (nonce) => insertNonce(insertManifest(html), nonce));
  });
}

/**
 * Browsers read modules as UTF-8, whatever encoding is named. But Chromium compiles those that it can read while they come
 * anew at each start; one that it names unknown waits until it is there, and what was compiled of it before is used.
 */
function toWebType(mediaType: string): string {
  return mediaType.startsWith('text/javascript') ? 'text/javascript; charset=x-user-defined' : mediaType;
}

/** The one parameter of a launch; null when there is another one, or none. */
function readLaunchToken(request: FastifyRequest): string | null {
  const given = [...new URLSearchParams(request.url.split('?')[1])];
  const [name, token] = given[0] ?? [];
  return given.length === 1 && name === 'token' && token !== undefined ? token : null;
}

async function sendDevelopmentFile(
  request: FastifyRequest,
  reply: FastifyReply,
  server: string,
): Promise<FastifyReply> {
  const { status, mediaType, bytes } = await fetchDevelopmentFile(server, request.url);
  if (!mediaType.startsWith('text/html')) return reply.code(status).type(mediaType).send(Buffer.from(bytes));
  const html = new TextDecoder().decode(bytes);
  const connect = { own: 'self', rebuilder: server } as const;
  return sendPage(reply.code(status), (nonce) => insertNonce(html, nonce), connect);
}

function sendPage(
  reply: FastifyReply,
  write: (nonce: string) => string,
  connect: PageConnections = 'self',
): FastifyReply {
  const nonce = createNonce();
  return reply
    .headers(buildSecurityHeaders(nonce, connect))
    .type('text/html; charset=utf-8')
    .send(write(nonce));
}

/** Returns the web app manifest: with it, browsers offer to install the page as an application of its own. */
function buildManifest(): Record<string, unknown> {
  return {
    id: '/',
    name: 'Channelscope',
    short_name: 'Channelscope',
    description:
      'The same application as on the desktop, in a browser of this computer. It works while Channelscope runs.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#f7f8fa',
    theme_color: '#f7f8fa',
    icons: ICON_SIZES.map((size) => ({
      src: `${ICON_PATH}/${size}x${size}.png`,
      sizes: `${size}x${size}`,
      type: 'image/png',
    })),
  };
}

/** Puts the link to the manifest into the page. The desktop's window, which has the same page, needs none. */
function insertManifest(html: string): string {
  return html.replace('</head>', `<link rel="manifest" href="${MANIFEST_PATH}" /></head>`);
}

/** The file name of an icon that the manifest names; null for any other. */
function findIconName(name: string): string | null {
  return ICON_SIZES.some((size) => name === `${size}x${size}.png`) ? name : null;
}

/** Where a page sends files. */
const UPLOAD_PATH = '/api/imports';

interface ApiParts {
  readonly call: Dispatch;
  readonly guard: SessionGuard;
  readonly streams: EventStreams;
  readonly downloads: ExportDownloads;
  readonly uploads: ImportUploads;
}

/** Everything under /api: calls, events, uploads, downloads, and the end of a session. */
function addApiRoutes(app: FastifyInstance, parts: ApiParts): void {
  app.register(
    (api, _options, done) => {
      api.addHook('onRequest', allowMethods('GET', 'HEAD', 'POST'));
      api.addHook('onRequest', refuseForeignOrigin);
      // A download is a navigation and can't bring the header: there, the path is the second secret.
      api.route<{ Params: { token: string } }>({
        method: ['GET', 'HEAD'],
        url: '/exports/:token',
        onRequest: parts.guard.requireCookie,
        handler: (request, reply) => sendDownload(reply, parts.downloads.find(request.params.token)),
      });
      api.register((session, _sessionOptions, sessionDone) => {
        session.addHook('onRequest', parts.guard.requireSession);
        addSessionRoutes(session, parts);
        sessionDone();
      });
      done();
    },
    { prefix: '/api' },
  );
}

function addSessionRoutes(app: FastifyInstance, { call, guard, streams, uploads }: ApiParts): void {
  app.all<{ Params: { '*': string } }>(
    '/call/*',
    { onRequest: [allowMethods('POST'), requireJsonBody] },
    async (request) => {
      const input = tryReadJsonBody(request.body);
      if (input !== undefined) return call(request.params['*'], input);
      const refusal = new AppError('app.invalid-input', 'The body is not JSON.');
      return { ok: false, error: toErrorInfo(refusal) } satisfies Envelope<never>;
    },
  );
  app.get('/events', (request, reply) => {
    const lastId = request.headers['last-event-id'];
    const isOpen = streams.open(reply, typeof lastId === 'string' ? lastId : null, () =>
      guard.hasSession(request),
    );
    if (!isOpen) void refuse(reply.header('retry-after', '15'), 429);
  });
  app.post('/logout', (request, reply) => {
    const ended = guard.endSession(request, reply);
    streams.review();
    return ended.header('clear-site-data', '"cookies", "storage"').code(204).send();
  });
  app.register((imports, _options, done) => {
    imports.removeAllContentTypeParsers();
    // A form of another page can't send this type without being asked for permission first. Never held in memory.
    imports.addContentTypeParser('application/octet-stream', (_request, payload, parsed) => {
      parsed(null, payload);
    });
    imports.post<{ Body: Readable | undefined }>('/imports', async ({ headers, body }, reply) => {
      if (body === undefined) return refuse(reply, 415);
      const received = await uploads.receive(body, headers);
      return 'refusal' in received ? refuse(reply, received.refusal) : reply.send(received);
    });
    done();
  });
  app.all('/*', (_request, reply) => refuse(reply, 404));
}

const MAX_STREAMS = 8;
/** Often enough for a page to notice within five seconds that the application is gone. */
const KEEP_ALIVE_MS = 2_000;
/** A page that doesn't read is disconnected; it connects again when it wakes. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Events that are kept for pages that connect again: those of some minutes of a download. */
const MAX_KEPT = 1_000;

/** The open pages that listen to events. */
interface EventStreams {
  /**
   * Opens a stream that goes on after the event with the id `lastId`, if that is known here, otherwise with the next
   * one. False when too many pages listen already. `isAllowed` is checked again while the stream lasts.
   */
  open(reply: FastifyReply, lastId: string | null, isAllowed: () => boolean): boolean;
  /** Ends the streams that are no longer allowed. */
  review(): void;
}

/**
 * Sends every event of the core to the pages that listen, as server-sent events. A page may listen before the core is
 * there, and misses nothing then.
 */
function createEventStreams(core: Promise<Core>): EventStreams {
  const reviews = new Set<() => void>();
  const responses = new Set<ServerResponse>();
  const log = createEventLog();
  void core.then(
    ({ on }) =>
      on((name, payload) => {
        const text = log.add(name, JSON.stringify(payload));
        for (const response of responses) send(response, text);
      }),
    () => undefined,
  );
  return {
    open: (reply, lastId, isAllowed) => {
      if (responses.size >= MAX_STREAMS) return false;
      reply.hijack();
      const response = reply.raw;
      const { position, missed } = log.readAfter(lastId);
      const headers = reply
        .type('text/event-stream; charset=utf-8')
        .header(EVENT_POSITION_HEADER, position)
        .getHeaders() as OutgoingHttpHeaders;
      response.writeHead(200, headers);
      response.write(`: open\n\n${missed}`);
      const review = (): void => {
        if (isAllowed()) response.write(': open\n\n');
        else response.end();
      };
      responses.add(response);
      reviews.add(review);
      const timer = setInterval(review, KEEP_ALIVE_MS);
      response.once('close', () => {
        clearInterval(timer);
        responses.delete(response);
        reviews.delete(review);
      });
      return true;
    },
    review: () => {
      for (const review of reviews) review();
    },
  };
}

function send(response: ServerResponse, text: string): void {
  response.write(text);
  if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
}

/** The last events, as they are sent. Ids are a run of the application and a number, so that none is taken for another. */
function createEventLog() {
  const run = randomBytes(6).toString('hex');
  const kept: string[] = [];
  let count = 0;
  return {
    add(name: string, data: string): string {
      count += 1;
      const text = `id: ${run}-${count}\nevent: ${name}\ndata: ${data}\n\n`;
      kept.push(text);
      if (kept.length > MAX_KEPT) kept.shift();
      return text;
    },
    /** The id after which a stream goes on, and what it missed since then: nothing where `lastId` is not known. */
    readAfter(lastId: string | null): { readonly position: string; readonly missed: string } {
      const [ofRun = '', number = ''] = lastId?.split('-') ?? [];
      const missing = ofRun === run && /^\d{1,15}$/.test(number) ? count - Number(number) : -1;
      if (lastId === null || missing < 0 || missing > kept.length) {
        return { position: `${run}-${count}`, missed: '' };
      }
      return { position: lastId, missed: missing === 0 ? '' : kept.slice(-missing).join('') };
    },
  };
}

/** An address that opens the application once, within ten minutes. */
export interface Launch {
  readonly url: string;
  /** The same under a name that no other server of this computer has, for browsers that resolve it. */
  readonly isolatedUrl: string;
  readonly isUsed: () => boolean;
}

export interface WebServer {
  /** Makes one more way in, for whoever has lost theirs; those from before stay valid. */
  createLaunch(): Launch;
  readonly port: number;
  stop(): Promise<void>;
}

interface WebServerOptions {
  /** Its events go to the pages. */
  readonly core: Promise<Core>;
  /** Answers what pages ask for, also before the core is there. */
  readonly call: Dispatch;
  readonly downloads: ExportDownloads;
  readonly uploads: ImportUploads;
  readonly languages: Pick<BrowserLanguages, 'note'>;
  /** The built window. */
  readonly windowFolder: string;
  /** Whether it was started with a data folder of the person's choice, which the same command has to name. */
  readonly hasOwnFolder: boolean;
  /** The icon in each size, as PNG. */
  readonly iconFolder: string;
  /** Address of a server that rebuilds the window as it is changed; null for the built one. */
  readonly developmentServer: string | null;
  /** Where it keeps the place that it is served at, for pages that outlive it. */
  readonly dataFolder: string;
  /** 0 takes the one of the last start, or a free one. */
  readonly port: number;
  readonly now: () => number;
  /** Called with what went wrong in the server itself. */
  readonly onError: (error: unknown) => void;
  /** Called after each answer. */
  readonly onAnswered: () => void;
}

const HARDENING = {
  createHeaders: () => buildSecurityHeaders(createNonce(), 'self'),
  // Inputs are a few kilobytes; uploads are streamed and have a limit of their own.
  maxBodyBytes: 1024 * 1024,
  // An upload of 2 GB takes some time.
  upload: { path: UPLOAD_PATH, timeoutMs: 300_000 },
  strangers: 'yield',
  // Event streams never end by themselves.
  closing: 'busy',
  undecodablePath: 404,
} as const;

/** Serves the application to browsers on this computer only. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  // Cookies are shared by all ports of a name: under this one, no other local server receives ours.
  const kept = readKeptPlace(options.dataFolder);
  const isolatedName = kept.name;
  const wantedPort = options.port === 0 ? await findFreePort(kept.port) : options.port;
  const hardening: ServerHardening = { ...HARDENING, hostNames: [isolatedName], onError: options.onError };
  const app = fastify(toServerOptions(hardening));
  const connections = hardenServer(app, hardening);
  app.register(fastifyCookie);
  app.addHook('onResponse', (_request, _reply, done) => {
    options.onAnswered();
    done();
  });
  // Reached by methods that no route has.
  app.setNotFoundHandler((request, reply) =>
    ['GET', 'HEAD'].includes(request.method)
      ? refuse(reply, 404)
      : refuse(reply.header('allow', 'GET, HEAD'), 405),
  );

  let servedPort = wantedPort;
  const sessions = createWebSessions(options.now, {
    // A page finds its host where it was. Elsewhere its session would be open to whoever holds that place now.
    sessions: wantedPort === kept.port ? kept.sessions : [],
    keep: (list) =>
      writeKeptPlace(options.dataFolder, { port: servedPort, name: isolatedName, sessions: [...list] }),
  });
  const failures = createFailureLimiter(options.now);
  const guard = createSessionGuard({ sessions, failures, connections });
  addApiRoutes(app, { ...options, guard, streams: createEventStreams(options.core) });
  addPageRoutes(app, { ...options, guard, failures, prove: sessions.prove });

  await app.listen({ port: wantedPort, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  servedPort = port;
  sessions.keep();
  return {
    createLaunch: () => {
      const { token, isUsed } = sessions.makeTicket();
      const path = `:${port}/launch?token=${token}`;
      return { url: `http://127.0.0.1${path}`, isolatedUrl: `http://${isolatedName}${path}`, isUsed };
    },
    port,
    stop: async () => {
      sessions.keep();
      await app.close();
    },
  };
}
