import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import {
  type AuthInfo,
  type Certificate,
  type ClientRequest,
  type IncomingMessage,
  net,
  type Session,
  session,
} from 'electron';
import { type NetworkChoice, type ProxyChoice, SYSTEM_NETWORK } from '../../common/model/settings/network.ts';
import type { Host, ProxyLogins } from '../../core/host.ts';

const PROXY_LOGIN_REQUIRED = 407;
/** Responses with these statuses have no body; the constructor of Response rejects one. */
const BODILESS = new Set([204, 205, 304]);
/** How much of a body may wait for its reader before the network has to wait too. */
const MAX_WAITING_BYTES = 256 * 1024;

/**
 * Names and values in turn, as they came: Electron's own record leaves the second of some names out. Chromium gives text
 * of any alphabet, while a Headers takes bytes only: it becomes what it was on the wire, as Node's fetch has it. A name
 * that is none is left out.
 */
function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const bytes = Buffer.from(raw[at + 1] ?? '', 'utf8').toString('latin1');
    try {
      headers.append(raw[at] ?? '', bytes.replace(/[\0\r\n]/gu, ' '));
    } catch {
      // No code reads a header by such a name.
    }
  }
  return headers;
}

/** Throws for a status that no Response can have. */
function toResponse(sent: ClientRequest, message: IncomingMessage, isHead: boolean): Response {
  const { statusCode: status } = message;
  const stream = message as unknown as Readable;
  // An error after the last byte that anybody reads concerns nobody; without a listener it would end the application.
  stream.on('error', () => undefined);
  if (status < 200 || status > 599) {
    throw Object.assign(new Error(`The status is ${status}.`), { code: 'ERR_INVALID_HTTP_RESPONSE' });
  }
  const headers = toHeaders(message.rawHeaders);
  if (isHead || BODILESS.has(status)) {
    stream.resume();
    return new Response(null, { status, headers });
  }
  // Its status text is left out: it may hold what a Response refuses, and nothing shows it.
  return new Response(toBody(sent, stream), { status, headers });
}

/**
 * The bytes of a response as they come. Node's own adapter throws, within the network's event, for a chunk that comes
 * after a cancellation, and leaves the request running.
 */
function toBody(sent: ClientRequest, stream: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isOver = false;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        const end = (finish: () => void): void => {
          if (!isOver) finish();
          isOver = true;
        };
        stream.on('data', (chunk: Uint8Array<ArrayBuffer>) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) stream.pause();
        });
        stream.once('end', () => end(() => controller.close()));
        stream.on('error', (error) => end(() => controller.error(error)));
        stream.once('close', () => end(() => controller.error(new TypeError('terminated'))));
        stream.pause();
      },
      pull: () => void stream.resume(),
      // Whoever cancels the body wants no more of it from the network either.
      cancel: () => {
        isOver = true;
        sent.abort();
      },
    },
    { highWaterMark: MAX_WAITING_BYTES, size: (chunk) => chunk.byteLength },
  );
}

/**
 * A fetch over Chromium's network, which uses the system's proxy and certificates. It behaves as
 * Node's does: a failure is a TypeError with the reason as its cause, and a redirect is a response with its `location`,
 * which Electron's own fetch hides. No cookie or password of the system is ever sent along; a proxy that asks who is
 * calling is told what `findLogins` knows.
 */
export function createNetworkFetch(
  network: Session,
  findLogins: () => ProxyLogins | null = () => null,
): typeof globalThis.fetch {
  return async (input, init) => {
    const wanted = new Request(input, init);
    const body = wanted.body === null ? undefined : Buffer.from(await wanted.arrayBuffer());
    wanted.signal.throwIfAborted();
    return new Promise<Response>((resolve, reject) => {
      const sent = net.request({
        session: network,
        method: wanted.method,
        url: wanted.url,
        credentials: 'omit',
        useSessionCookies: false,
        cache: 'no-store',
        redirect: 'manual',
      });
      for (const [name, value] of wanted.headers) sent.setHeader(name, value);
      let asksForLogin = false;
      const proxyAnswers = answerProxy(findLogins());
      const fail = (cause: unknown): void => reject(new TypeError('fetch failed', { cause }));
      // These are called from within the network's own events: what they throw would end the application.
      const settle = (answer: () => Response): void => {
        try {
          resolve(answer());
        } catch (error) {
          fail(error);
          sent.abort();
        }
      };
      const abort = (): void => {
        reject(wanted.signal.reason as Error);
        sent.abort();
      };
      wanted.signal.addEventListener('abort', abort, { once: true });
      sent.on('response', (message) => {
        proxyAnswers.end(message.statusCode !== PROXY_LOGIN_REQUIRED);
        settle(() => toResponse(sent, message, wanted.method === 'HEAD'));
      });
      sent.once('close', () => proxyAnswers.end(false));
      sent.on('redirect', (status, _method, target) => {
        settle(() => new Response(null, { status, headers: toHeaders(['location', target]) }));
        sent.abort();
      });
      sent.on('login', (info, answer) => {
        asksForLogin = info.isProxy;
        proxyAnswers.answer(info, answer);
      });
      sent.on('error', (cause) => {
        proxyAnswers.end(false);
        wanted.signal.removeEventListener('abort', abort);
        fail(asksForLogin ? Object.assign(cause, { code: 'ERR_PROXY_AUTH_REQUESTED' }) : cause);
      });
      sent.end(body);
    });
  };
}

/** Answers the proxy of one request with what is known, and says what came of it. */
export function answerProxy(logins: ProxyLogins | null) {
  let attempt = 0;
  let told: string | null = null;
  return {
    answer(
      { isProxy, host, port, realm }: AuthInfo,
      answer: (userName?: string, password?: string) => void,
    ): void {
      if (!isProxy || logins === null) {
        answer();
        return;
      }
      attempt += 1;
      const proxy = `${host}:${port}`;
      logins.find({ proxy, realm, attempt }).then(
        (login) => {
          if (login === null) {
            told = null;
            answer();
          } else {
            told = proxy;
            answer(login.userName, login.password);
          }
        },
        () => answer(),
      );
    },
    end(isThrough: boolean): void {
      if (told !== null) logins?.note(told, isThrough ? 'accepted' : 'unknown');
      told = null;
    },
  };
}

/** What Chromium says of a certificate whose signer it doesn't know. */
const UNKNOWN_AUTHORITY = 'net::ERR_CERT_AUTHORITY_INVALID';
/** Answers of a check of certificates: it is good, or Chromium's own judgement holds. */
const IS_GOOD = 0;
const AS_CHROMIUM_SAYS = -3;

/** How the desktop reaches the network. */
export interface ConnectionNetworks extends Pick<Host, 'fetchFor' | 'useProxyLogins' | 'useNetwork'> {
  /** Has another session reach the network as connections do. */
  setUp(network: Session): Promise<void>;
  /** Who answers proxies that ask; null until the core has said so. */
  readonly readLogins: () => ProxyLogins | null;
}

/**
 * Returns the fetches of connections. Each has a session of its own, in memory and without a cache: Chromium opens six
 * sockets to a host in a session, and what one connection received must never be served to another. Once the network is
 * to be used another way, sessions are begun anew: an old one remembers what it judged of certificates.
 */
export function createConnectionNetworks(): ConnectionNetworks {
  const fetches = new Map<string, typeof globalThis.fetch>();
  let opened = new Map<string, Promise<typeof globalThis.fetch>>();
  let logins: ProxyLogins | null = null;
  let chosen: NetworkChoice = SYSTEM_NETWORK;
  let generation = 0;

  const setUp = async (network: Session): Promise<void> => {
    trustOwn(network, chosen.authorities);
    if (chosen.proxy.mode !== 'system') await network.setProxy(toProxyConfig(chosen.proxy));
  };
  const open = async (connectionId: string): Promise<typeof globalThis.fetch> => {
    const suffix = generation === 0 ? '' : `-${generation}`;
    const network = session.fromPartition(`requests-${connectionId}${suffix}`, { cache: false });
    await setUp(network);
    return createNetworkFetch(network, () => logins);
  };
  const find = (connectionId: string): Promise<typeof globalThis.fetch> => {
    const known = opened.get(connectionId) ?? open(connectionId);
    opened.set(connectionId, known);
    return known;
  };
  return {
    setUp,
    readLogins: () => logins,
    useProxyLogins: (given) => {
      logins = given;
    },
    useNetwork: (network) => {
      if (JSON.stringify(network) !== JSON.stringify(chosen)) {
        chosen = network;
        generation += 1;
        opened = new Map();
      }
      return Promise.resolve();
    },
    fetchFor: (connectionId) => {
      const known = fetches.get(connectionId);
      if (known !== undefined) return known;
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const current = await find(connectionId);
        return current(input, init);
      };
      fetches.set(connectionId, fetch);
      // A proxy that can't be set fails the requests themselves.
      find(connectionId).catch(() => undefined);
      return fetch;
    },
  };
}

/** Chromium reaches what is on this computer directly, whatever the proxy. */
function toProxyConfig(proxy: ProxyChoice): Electron.ProxyConfig {
  if (proxy.mode === 'none') return { mode: 'direct' };
  if (proxy.mode === 'system') return { mode: 'system' };
  return {
    mode: 'fixed_servers',
    proxyRules: proxy.address,
    proxyBypassRules: proxy.exceptions.join(','),
  };
}

function trustOwn(network: Session, pems: readonly string[]): void {
  const authorities = readAuthorities(pems);
  if (authorities.length === 0) return;
  network.setCertificateVerifyProc(({ verificationResult, certificate, hostname }, answer) => {
    const isOwn =
      verificationResult === UNKNOWN_AUTHORITY &&
      isSignedByOwn(certificate, hostname, authorities, Date.now());
    answer(isOwn ? IS_GOOD : AS_CHROMIUM_SAYS);
  });
}

const MAX_CHAIN = 10;
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const MIN_RSA_BITS = 2048;

/** Reads the authorities that a person trusts; one that can't be read is left out. */
function readAuthorities(pems: readonly string[]): X509Certificate[] {
  return pems.flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

/**
 * True for a certificate that one of the authorities signed, directly or through others of its chain: for this name, at
 * this moment, to be shown by a server, each signer allowed to sign. Chromium names an unknown signer before other
 * faults, so all of them are looked for here.
 */
function isSignedByOwn(
  shown: Certificate,
  hostname: string,
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  try {
    const chain = readChain(shown);
    const [first] = chain;
    if (first === undefined || !isFor(first, hostname) || !mayServe(first)) return false;
    return leadsToAuthority(first, chain.slice(1), authorities, nowMs);
  } catch {
    // A certificate that can't be read proves nothing.
    return false;
  }
}

function readChain(shown: Certificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: Certificate | undefined = shown;
  while (next !== undefined && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(next.data));
    next = findIssuer(next);
  }
  return chain;
}

/** The last of a chain has none, whatever Electron's types say. */
function findIssuer({ issuerCert }: { readonly issuerCert?: Certificate }): Certificate | undefined {
  return issuerCert;
}

function leadsToAuthority(
  first: X509Certificate,
  others: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  let current = first;
  for (let step = 0; step <= MAX_CHAIN; step += 1) {
    if (!isSound(current, nowMs)) return false;
    if (authorities.some((one) => isSound(one, nowMs) && hasSigned(one, current))) return true;
    const signer = others.find(
      (one) => one.fingerprint256 !== current.fingerprint256 && hasSigned(one, current),
    );
    if (signer === undefined) return false;
    current = signer;
  }
  return false;
}

function hasSigned(signer: X509Certificate, signed: X509Certificate): boolean {
  return signer.ca && signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

function isSound({ validFromDate, validToDate, publicKey }: X509Certificate, nowMs: number): boolean {
  const { modulusLength = MIN_RSA_BITS } = publicKey.asymmetricKeyDetails ?? {};
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime() && modulusLength >= MIN_RSA_BITS;
}

function isFor(certificate: X509Certificate, hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  return certificate.checkHost(name, { subject: 'never' }) !== undefined;
}

/** A certificate that names its uses must name this one; Node has none for one that names none. */
function mayServe({ keyUsage }: { readonly keyUsage?: readonly string[] }): boolean {
  return keyUsage === undefined || keyUsage.length === 0 || keyUsage.includes(SERVER_AUTHENTICATION);
}
