import { protocol, type Session } from 'electron';
import { buildSecurityHeaders, createNonce, insertNonce } from '../core/window/content-policy.ts';
import { fetchDevelopmentFile } from '../node/http/fetch-development-file.ts';
import { readWindowFile } from '../core/window/window-files.ts';
import { APP_ORIGIN, APP_SCHEME } from './app-address.ts';

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
