import type { AddressInfo } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import fastify from 'fastify';
import type { Core } from '../core/create-core.ts';
import { buildSecurityHeaders, createNonce } from '../core/window/window-files.ts';
import { createFailureLimiter, refuse } from '../node/http/problem.ts';
import { hardenServer, toServerOptions, type ServerHardening } from '../node/http/harden-server.ts';
import { addApiRoutes, addPageRoutes, createEventStreams, UPLOAD_PATH } from './routes.ts';
import { type BrowserLanguages, createSessionGuard, createWebSessions, findFreePort, readKeptPlace, writeKeptPlace } from './web-sessions.ts';
import type { ExportDownloads, ImportUploads } from './transfers.ts';

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

export interface WebServerOptions {
  /** Calls wait for it; where it can't be created, they answer with the reason. */
  readonly core: Promise<Core>;
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

/** Files are sent as they are: what may be kept, and as what, was decided before. */
const FILE_OPTIONS = {
  serve: false,
  acceptRanges: false,
  cacheControl: false,
  contentType: false,
  etag: false,
  lastModified: false,
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
  app.register(fastifyStatic, FILE_OPTIONS);
  // Reached by downloads whose file is gone, and by methods that no route has.
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
