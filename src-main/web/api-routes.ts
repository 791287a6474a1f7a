import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError, toErrorInfo } from '../common/contract/errors.ts';
import { EVENT_POSITION_HEADER } from '../common/contract/event-position.ts';
import type { Envelope } from '../common/contract/operation.ts';
import type { Core } from '../core/create-core.ts';
import { refuse, requireJsonBody, tryReadJsonBody } from '../node/http/problem.ts';
import { allowMethods, refuseForeignOrigin, type SessionGuard } from './session-guard.ts';
import { type ExportDownloads, type ImportUploads, sendDownload } from './transfers.ts';

/** Where a page sends files. */
export const UPLOAD_PATH = '/api/imports';

interface ApiParts {
  readonly core: Promise<Core>;
  readonly guard: SessionGuard;
  readonly streams: EventStreams;
  readonly downloads: ExportDownloads;
  readonly uploads: ImportUploads;
}

/** Everything under /api: calls, events, uploads, downloads, and the end of a session. */
export function addApiRoutes(app: FastifyInstance, parts: ApiParts): void {
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

function addSessionRoutes(app: FastifyInstance, { core, guard, streams, uploads }: ApiParts): void {
  app.all<{ Params: { '*': string } }>(
    '/call/*',
    { onRequest: [allowMethods('POST'), requireJsonBody] },
    async (request) => {
      const input = tryReadJsonBody(request.body);
      if (input === undefined) return toRefusal(new AppError('app.invalid-input', 'The body is not JSON.'));
      return core.then(({ callFromWindow }) => callFromWindow(request.params['*'], input), toRefusal);
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

function toRefusal(error: unknown): Envelope<never> {
  return { ok: false, error: toErrorInfo(error) };
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
export function createEventStreams(core: Promise<Core>): EventStreams {
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
