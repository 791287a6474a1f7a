import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { AppError, toErrorInfo } from '../common/contract/errors.ts';
import type { Envelope } from '../common/contract/operation.ts';
import type { Core } from '../core/create-core.ts';
import { refuse } from '../node/http/problem.ts';
import { requireJsonBody, tryReadJsonBody } from '../node/http/read-json-body.ts';
import type { EventStreams } from './event-streams.ts';
import { sendDownload, type ExportDownloads } from './export-downloads.ts';
import type { ImportUploads } from './import-uploads.ts';
import { allowMethods, refuseForeignOrigin } from './request-checks.ts';
import type { SessionGuard } from './session-guard.ts';

/** Where a page sends files. */
export const UPLOAD_PATH = '/api/imports';

export interface ApiParts {
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
