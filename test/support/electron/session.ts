import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type * as Electron from 'electron';
import { app } from './app.ts';
import { emitNative, record, requireEarly, requireReady } from './state.ts';

type Handler = (...args: never[]) => unknown;
const SOCKETS_PER_HOST = 6;

export class FakeSession {
  readonly handlers = new Map<string, Handler | null>();
  /** A proxy that the system names: every request over http goes to it. */
  proxy: { readonly host: string; readonly port: number } | null = null;
  /** What the proxy accepted; Chromium asks once in each session. */
  proxyLogin: string | null = null;
  readonly partition: string;
  readonly options: unknown;
  /** Chromium opens six sockets to a host in each session; further requests wait. */
  readonly agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_PER_HOST }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_PER_HOST }),
  };
  readonly protocolHandlers = new Map<string, (request: Request) => Response | Promise<Response>>();
  readonly protocol = {
    handle: (scheme: string, handler: (request: Request) => Response | Promise<Response>): void => {
      if (this.protocolHandlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
      record('protocol.handle', scheme);
      this.protocolHandlers.set(scheme, handler);
    },
  } satisfies Pick<Electron.Protocol, 'handle'>;
  constructor(partition: string, options?: unknown) {
    this.partition = partition;
    this.options = options;
  }
  #set(name: string, handler: Handler | null): void {
    record(`session.${name}`, this.partition);
    this.handlers.set(name, handler);
  }
  setPermissionRequestHandler(handler: Parameters<Electron.Session['setPermissionRequestHandler']>[0]): void {
    this.#set('setPermissionRequestHandler', handler);
  }
  setPermissionCheckHandler(handler: Parameters<Electron.Session['setPermissionCheckHandler']>[0]): void {
    this.#set('setPermissionCheckHandler', handler);
  }
  setDevicePermissionHandler(handler: Parameters<Electron.Session['setDevicePermissionHandler']>[0]): void {
    this.#set('setDevicePermissionHandler', handler);
  }
  setDisplayMediaRequestHandler(
    handler: Parameters<Electron.Session['setDisplayMediaRequestHandler']>[0],
  ): void {
    this.#set('setDisplayMediaRequestHandler', handler);
  }
  /** As a person's settings say; null follows the system. */
  proxyConfig: Electron.ProxyConfig | null = null;
  setProxy(config: Electron.ProxyConfig): Promise<void> {
    record('session.setProxy', this.partition, config);
    this.proxyConfig = config;
    const rules = config.mode === 'fixed_servers' ? URL.parse(config.proxyRules ?? '') : null;
    this.proxy = rules === null ? null : { host: rules.hostname, port: Number(rules.port) };
    return Promise.resolve();
  }
  setCertificateVerifyProc(proc: Parameters<Electron.Session['setCertificateVerifyProc']>[0]): void {
    this.#set('setCertificateVerifyProc', proc);
  }
  /** What the session makes of a certificate that a server shows: 0 is good, -3 leaves it to Chromium. */
  judgeCertificate(request: Partial<Electron.Request>): number {
    const proc = this.handlers.get('setCertificateVerifyProc') as unknown as
      | ((request: unknown, answer: (verdict: number) => void) => void)
      | undefined;
    let verdict = -3;
    proc?.(request, (given) => {
      verdict = given;
    });
    return verdict;
  }
  /** What a page gets that asks for a video: an answer without one throws, as Electron's does. */
  askForVideo(): unknown {
    const handler = this.handlers.get('setDisplayMediaRequestHandler') as unknown as (
      request: unknown,
      callback: (streams: { video?: unknown } | null) => void,
    ) => void;
    let answer: unknown;
    handler({ videoRequested: true }, (streams) => {
      if (streams !== null && streams.video === undefined) {
        throw new TypeError('Video was requested, but no video stream was provided');
      }
      answer = streams;
    });
    return answer;
  }
}

type HandlerMethods =
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
  | 'setProxy'
  | 'setCertificateVerifyProc';
FakeSession.prototype satisfies Pick<Electron.Session, HandlerMethods>;

export const sessions = new Map<string, FakeSession>();

function findSession(partition: string, options?: unknown): FakeSession {
  requireReady('Session can only be received');
  let found = sessions.get(partition);
  if (found === undefined) {
    found = new FakeSession(partition, options);
    sessions.set(partition, found);
    if (partition !== '') record('session.fromPartition', partition, options);
    emitNative(app, 'session-created', found);
  }
  return found;
}

export const session = {
  get defaultSession(): FakeSession {
    return findSession('');
  },
  fromPartition(...[partition, options]: Parameters<typeof Electron.session.fromPartition>): FakeSession {
    return findSession(partition, options);
  },
};

export const protocol = {
  registerSchemesAsPrivileged(schemes) {
    requireEarly('protocol.registerSchemesAsPrivileged');
    record('protocol.registerSchemesAsPrivileged', schemes);
  },
} satisfies Pick<Electron.Protocol, 'registerSchemesAsPrivileged'>;
