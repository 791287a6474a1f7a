import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServiceOptions } from '../service-options.ts';
import { toStartError } from '../start-error.ts';

const STOP_WITHIN_MS = 5_000;

/** Returns the base address without a trailing slash. Throws AppError `local-service.start-failed`. */
export async function listen(
  app: FastifyInstance,
  { host, port: wanted }: Pick<ServiceOptions, 'host' | 'port'>,
): Promise<string> {
  try {
    await app.listen({ port: wanted, host });
  } catch (error) {
    throw toStartError(`Port ${wanted} of ${host} can't be listened on.`, error);
  }
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Finishes requests in progress, for at most five seconds. */
export async function stopListening(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => {
    app.server.closeAllConnections();
  }, STOP_WITHIN_MS);
  await app.close();
  clearTimeout(timer);
}
