/** A file of the window as the server that rebuilds it sent it. */
interface DevelopmentFile {
  readonly status: number;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Requests a file of the window, by the path and query of its URL, from a server that rebuilds it as it is changed.
 * Throws an Error for an address of another computer: its files would run with all rights of the window.
 */
export async function fetchDevelopmentFile(server: string, target: string): Promise<DevelopmentFile> {
  const origin = new URL(server);
  if (!LOOPBACK.has(origin.hostname)) throw new Error('The development server must be on this computer.');
  const url = new URL(target === '/index.html' ? '/' : target, origin);
  if (url.origin !== origin.origin) return { status: 404, mediaType: 'text/plain', bytes: new Uint8Array() };
  const response = await fetch(url, { headers: { accept: '*/*' }, redirect: 'manual' });
  return {
    status: response.status,
    mediaType: response.headers.get('content-type') ?? 'application/octet-stream',
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}
