import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  buildSecurityHeaders,
  createNonce,
  insertNonce,
  type PageConnections,
  readWindowFile,
} from '../core/window/window-files.ts';
import { fetchDevelopmentFile } from '../node/http/fetch-development-file.ts';
import { createWords } from '../common/words/words.ts';
import { type FailureLimiter, refuse } from '../node/http/problem.ts';
import {
  allowMethods,
  type BrowserLanguages,
  readAcceptLanguage,
  refuseWhileSlowedDown,
  type SessionGuard,
} from './session-guard.ts';
import { buildComeBackPage } from './launch-file.ts';
import type { WebSessions } from './web-sessions.ts';

const ICON_SIZES = [128, 256, 512];

/** Where browsers find the icons that the manifest names. */
const ICON_PATH = '/icons';
const MANIFEST_PATH = '/manifest.webmanifest';

export interface PageParts {
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
export function addPageRoutes(
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
    if (!file.mediaType.startsWith('text/html')) return reply.type(file.mediaType).send(file.bytes);
    languages.note(request.headers['accept-language']);
    const html = file.bytes.toString('utf8');
    return sendPage(reply, (nonce) => insertNonce(insertManifest(html), nonce));
  });
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
