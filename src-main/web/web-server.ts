import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Core } from '../core/create-core.ts';
import { answerApi, type ApiParts } from './answer-api.ts';
import { answerPages } from './answer-pages.ts';
import { createEventStreams } from './event-streams.ts';
import { createExchange, refuse } from './exchange.ts';
import type { ExportDownloads } from './export-downloads.ts';
import { createFailureLimiter } from './failure-limiter.ts';
import type { ImportUploads } from './import-uploads.ts';
import { checkTarget } from './request-guard.ts';
import { createWebSessions } from './web-sessions.ts';

export interface WebServer {
  /** Opens the application once, with the launch token in it. */
  readonly launchUrl: string;
  /** The same under a name that no other server of this computer has, for browsers that resolve it (W-08). */
  readonly isolatedLaunchUrl: string;
  readonly port: number;
  stop(): Promise<void>;
}

export interface WebServerOptions {
  readonly core: Core;
  readonly downloads: ExportDownloads;
  readonly uploads: ImportUploads;
  /** The built window. */
  readonly windowFolder: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly now: () => number;
  /** Hears of what went wrong while answering. */
  readonly onBug: (error: unknown) => void;
}

/** Serves the application to the browser of this computer, and to nobody else. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const sessions = createWebSessions(options.now);
  const server = createServer({ requireHostHeader: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  // Cookies and storage don't tell ports apart, but names: under this one, no other local server gets to see ours.
  const isolatedName = `${randomBytes(8).toString('hex')}.localhost`;
  const authorities = [`127.0.0.1:${port}`, `${isolatedName}:${port}`];
  const launchPath = `/launch?token=${sessions.launchToken}`;
  const parts: ApiParts = {
    core: options.core,
    sessions,
    limiter: createFailureLimiter(options.now),
    streams: createEventStreams(options.core),
    downloads: options.downloads,
    uploads: options.uploads,
    cookieName: `channelscope-${port}`,
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = createExchange(request, response);
    const refusal = checkTarget(request, authorities);
    if (refusal !== null) refuse(exchange, refusal);
    else if (exchange.path.startsWith('/api/')) await answerApi(exchange, parts);
    else await answerPages(exchange, options.windowFolder, parts);
  };
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A page that went away in the middle of a download is no fault of ours.
      if (!request.destroyed || !response.destroyed) options.onBug(error);
      response.destroy();
    });
  });
  server.on('clientError', (_error, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });

  return {
    launchUrl: `http://127.0.0.1:${port}${launchPath}`,
    isolatedLaunchUrl: `http://${isolatedName}:${port}${launchPath}`,
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
