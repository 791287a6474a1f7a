import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { PassThrough, Readable, Writable, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type * as Electron from 'electron';
import { toBodyError, toHeadersError } from './net-errors.ts';
import { FakeSession } from './session.ts';
import { emitNative, requireReady } from './state.ts';

/** Names that Chromium's side doesn't repeat; everything else is joined. */
const SINGLE = new Set(['content-type', 'content-length', 'location', 'retry-after', 'etag', 'server']);
const MAX_HEADER_BYTES = 256 * 1024;

function createDecoder(named: string | undefined): Duplex {
  const encoding = named?.toLowerCase();
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  if (encoding === 'zstd') return createZstdDecompress();
  return new PassThrough();
}

/** What Chromium makes of the bytes of a header: UTF-8, and U+FFFD for what is none. */
function toHeaderText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

class FakeMessage
  extends Readable
  implements Pick<Electron.IncomingMessage, 'statusCode' | 'statusMessage' | 'headers' | 'rawHeaders'>
{
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Record<string, string | string[]> = {};
  readonly rawHeaders: string[];
  constructor(
    from: Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>,
    resume: () => void,
  ) {
    super({ read: resume });
    this.statusCode = from.statusCode ?? 0;
    this.statusMessage = toHeaderText(from.statusMessage ?? '');
    this.rawHeaders = from.rawHeaders.map(toHeaderText);
    for (let at = 0; at < from.rawHeaders.length; at += 2) {
      const name = from.rawHeaders[at]!.toLowerCase();
      const value = toHeaderText(from.rawHeaders[at + 1]!);
      const known = this.headers[name];
      if (name === 'set-cookie') this.headers[name] = [...((known as string[] | undefined) ?? []), value];
      else if (known === undefined) this.headers[name] = value;
      else if (!SINGLE.has(name)) this.headers[name] = `${String(known)}, ${value}`;
    }
  }
}

/** A request may be told its address in pieces. */
function toAddress({ protocol, hostname, port, path }: Electron.ClientRequestConstructorOptions): string {
  return `${protocol ?? 'http:'}//${hostname ?? ''}:${String(port ?? '')}${path ?? '/'}`;
}

type RequestMethods = 'setHeader' | 'getHeader' | 'abort' | 'followRedirect';

/** A request as `net.request` makes it, over Node's network: with its events, its order and its six sockets. */
class FakeClientRequest extends Writable implements Pick<Electron.ClientRequest, RequestMethods> {
  readonly options: Electron.ClientRequestConstructorOptions;
  readonly #headers = new Map<string, string>();
  readonly #chunks: Buffer[] = [];
  #sent: ClientRequest | undefined;
  #response: FakeMessage | undefined;
  #isAborted = false;
  #isFollowed = false;
  #login: string | null = null;

  constructor(options: Electron.ClientRequestConstructorOptions) {
    super({ autoDestroy: true });
    requireReady('net.request');
    if (!((options.session as unknown) instanceof FakeSession)) {
      throw new TypeError('`session` should be an instance of the Session class');
    }
    this.options = options;
    for (const [name, value] of Object.entries(options.headers ?? {})) this.setHeader(name, String(value));
  }
  setHeader(name: string, value: string): void {
    if (this.#sent !== undefined) throw new Error("Can't set headers after they are sent");
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    this.#headers.set(name.toLowerCase(), value);
  }
  getHeader(name: string): string {
    return this.#headers.get(name.toLowerCase()) ?? '';
  }
  followRedirect(): void {
    this.#isFollowed = true;
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
  override _final(done: () => void): void {
    this.#start();
    done();
  }
  abort(): void {
    if (!this.#isAborted) process.nextTick(() => void emitNative(this, 'abort'));
    this.#isAborted = true;
    this.#die();
  }
  #start(): void {
    const url = new URL(this.options.url ?? toAddress(this.options));
    const isSecure = url.protocol === 'https:';
    const { agents } = this.options.session as unknown as FakeSession;
    const body = Buffer.concat(this.#chunks);
    const { proxy, proxyLogin } = this.options.session as unknown as FakeSession;
    const login = this.#login ?? proxyLogin;
    const way = proxy === null ? {} : { hostname: proxy.host, port: proxy.port, path: url.href };
    const sent = (isSecure ? https : http).request(url, {
      ...way,
      method: this.options.method ?? 'GET',
      agent: agents[isSecure ? 'https:' : 'http:'],
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        'accept-encoding': 'gzip, deflate, br, zstd',
        ...(body.length > 0 ? { 'content-length': String(body.length) } : {}),
        ...Object.fromEntries(this.#headers),
        ...(proxy === null ? {} : { host: url.host }),
        ...(proxy === null || login === null ? {} : { 'proxy-authorization': login }),
      },
    });
    this.#sent = sent;
    sent.on('response', (message) => this.#receive(message));
    sent.on('upgrade', (message, socket) => {
      socket.destroy();
      this.#receive(message);
    });
    sent.on('error', (error) => {
      if (this.#response === undefined) this.#die(toHeadersError(error));
    });
    sent.end(body);
  }
  #receive(message: IncomingMessage): void {
    if (this.#isAborted) return;
    if (this.#askForLogin(message)) return;
    const location = message.headers.location;
    const status = message.statusCode ?? 0;
    if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
      message.resume();
      this.#redirect(status, location);
      return;
    }
    const encoding = message.headers['content-encoding'];
    const decoder = createDecoder(encoding);
    const response = new FakeMessage(message, () => decoder.resume());
    this.#response = response;
    emitNative(this, 'response', response);
    let hasEnded = false;
    const fail = (error: NodeJS.ErrnoException | null): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.#die(toBodyError(error, message.headers));
    };
    decoder.on('data', (chunk: Buffer) => {
      if (!response.destroyed && !response.push(chunk)) decoder.pause();
    });
    decoder.on('end', () => {
      hasEnded = true;
      if (!response.destroyed) response.push(null);
    });
    decoder.on('error', fail);
    message.on('error', fail);
    message.on('aborted', () => fail(null));
    message.pipe(decoder);
  }
  /** As Chromium does it: without an answer the proxy's refusal is the response. */
  #askForLogin(message: IncomingMessage): boolean {
    const network = this.options.session as unknown as FakeSession;
    const { proxy } = network;
    const challenge = message.headers['proxy-authenticate'];
    if (message.statusCode !== 407 || proxy === null || challenge === undefined) {
      if (this.#login !== null) network.proxyLogin = this.#login;
      return false;
    }
    const realm = /realm="([^"]*)"/u.exec(challenge)?.[1] ?? '';
    const info = { isProxy: true, scheme: 'basic', ...proxy, realm };
    let isAnswered = false;
    const answer = (userName?: string, password?: string): void => {
      if (isAnswered || this.#isAborted) return;
      isAnswered = true;
      if (userName === undefined) {
        this.#refuse(message);
        return;
      }
      message.resume();
      const text = Buffer.from(`${userName}:${password ?? ''}`).toString('base64');
      this.#login = `Basic ${text}`;
      this.#start();
    };
    if (!emitNative(this, 'login', info, answer)) this.#refuse(message);
    return true;
  }
  #refuse(message: IncomingMessage): void {
    delete message.headers['proxy-authenticate'];
    this.#receive(message);
  }
  #redirect(status: number, location: string): void {
    const target = URL.parse(toHeaderText(location), this.options.url);
    const isFile = target?.protocol === 'file:';
    if (target === null) {
      this.#die(new Error('net::ERR_INVALID_REDIRECT'));
    } else if (!['http:', 'https:'].includes(target.protocol)) {
      this.#die(new Error(`net::${isFile ? 'ERR_UNSAFE_REDIRECT' : 'ERR_UNKNOWN_URL_SCHEME'}`));
    } else {
      emitNative(this, 'redirect', status, 'POST', target.href, {});
      if (!this.#isFollowed && !this.#isAborted) this.#die(new Error('Redirect was cancelled'));
    }
  }
  #die(error?: Error): void {
    if (this.destroyed && error !== undefined) emitNative(this, 'error', error);
    this.destroy(error);
    this.#sent?.destroy();
    const response = this.#response;
    if (response === undefined || response.destroyed) return;
    // An error that nobody listens for is one that nobody caught.
    if (error !== undefined && response.listenerCount('error') === 0) {
      emitNative(response, 'error', error);
      response.destroy();
    } else {
      response.destroy(error);
    }
  }
}

export const net = {
  request: (options: Electron.ClientRequestConstructorOptions) => new FakeClientRequest(options),
} satisfies Record<keyof Pick<Electron.Net, 'request'>, unknown>;
