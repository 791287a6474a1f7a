import { randomUUID } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { protocol, type Session } from 'electron';
import type { ImportFile } from '../core/host.ts';
import {
  buildSecurityHeaders,
  createNonce,
  insertNonce,
  readWindowFile,
} from '../core/window/window-files.ts';
import { fetchDevelopmentFile } from '../node/http/fetch-development-file.ts';

/** Must be called before the application is ready, once. */
export function registerAppScheme(): void {
  // What was compiled of the window's scripts is kept for the next start, as that of pages over HTTP is.
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: APP_SCHEME, privileges }]);
}

/** Responds with one of the window's files. Everything else is 404, with the same headers (E-18). */
export function respondToAppRequest(request: Request, folder: string): Response {
  const nonce = createNonce();
  const headers = buildSecurityHeaders(nonce, 'none');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  // The path is taken from the text: a URL parser would already have resolved the dots in it.
  const target = request.url.startsWith(`${APP_ORIGIN}/`) ? request.url.slice(APP_ORIGIN.length) : null;
  const path = target?.split(/[?#]/u)[0];
  const file = isReading && path !== undefined ? readWindowFile(folder, path) : null;
  if (file === null) return new Response(null, { status: 404, headers });
  const isPage = file.mediaType.startsWith('text/html');
  const content = isPage ? insertNonce(file.bytes.toString('utf8'), nonce) : new Uint8Array(file.bytes);
  return new Response(request.method === 'HEAD' ? null : content, {
    headers: { ...headers, ...file.headers, 'content-type': file.mediaType },
  });
}

/** Responds with what the development server has: the page keeps its origin, its policy and its rights. */
export async function respondFromServer(request: Request, server: string): Promise<Response> {
  const nonce = createNonce();
  const headers = buildSecurityHeaders(nonce, { own: 'none', rebuilder: server });
  if (request.method !== 'GET' || !request.url.startsWith(`${APP_ORIGIN}/`)) {
    return new Response(null, { status: 404, headers });
  }
  const file = await fetchDevelopmentFile(server, request.url.slice(APP_ORIGIN.length).split('#')[0] ?? '');
  const isPage = file.mediaType.startsWith('text/html');
  const content = isPage ? insertNonce(new TextDecoder().decode(file.bytes), nonce) : file.bytes;
  return new Response(file.status === 304 || file.status === 204 ? null : content, {
    status: file.status,
    headers: { ...headers, 'content-type': file.mediaType },
  });
}

/** Serves the window from its own scheme, and nothing at all from the file system's. */
export function serveAppFiles(session: Session, folder: string, developmentServer: string | null): void {
  session.protocol.handle(APP_SCHEME, (request) =>
    developmentServer === null
      ? respondToAppRequest(request, folder)
      : respondFromServer(request, developmentServer),
  );
  session.protocol.handle('file', () => new Response(null, { status: 403 }));
}

/** The scheme and host of the window's own files; no address on a network has them. */
const APP_SCHEME = 'app';
const APP_HOST = 'channelscope';
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`;
export const APP_URL = `${APP_ORIGIN}/index.html`;

/**
 * Whether a URL is the application's one page, whatever place in it. Compared as text: a parser would accept
 * capitals, credentials and ports too.
 */
export function isAppPage(url: unknown): boolean {
  return typeof url === 'string' && (url === APP_URL || url.startsWith(`${APP_URL}#`));
}

/** Offers that are remembered: the person imports one of the newest, or none. */
const MAX_OFFERS = 20;

/** Files that a person dropped on the window or opened: an operation names them by an id, never by a path. */
export interface OfferedFiles {
  /** Takes the path of a file, and returns the id that stands for it; null for what is no path. */
  offer(path: unknown): string | null;
  /** The file of that id, again where its import failed; null for one that isn't known, or no longer. */
  find(id: string): ImportFile | null;
}

/** Makes an empty register. */
export function createOfferedFiles(): OfferedFiles {
  const paths = new Map<string, string>();
  return {
    offer(path) {
      if (typeof path !== 'string' || !isAbsolute(path)) return null;
      const id = randomUUID();
      paths.set(id, path);
      for (const old of [...paths.keys()].slice(0, -MAX_OFFERS)) paths.delete(old);
      return id;
    },
    find(id) {
      const path = paths.get(id);
      if (path === undefined) return null;
      // The user's own file stays where it is.
      return { path, name: basename(path), release: () => Promise.resolve() };
    },
  };
}
