import type { ServerHardening } from '../../node/http/harden-server.ts';
import type { ServiceOptions } from '../service-options.ts';

/** Where the service is, and how it is called. */
export type ServiceAddresses = Pick<ServiceOptions, 'host' | 'publicHosts' | 'trustedProxies'>;

/** Headers of every response: nothing is kept, guessed, framed or read by a page of another site. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** What one client may take from the service, and under which names it may call it. */
export function createServiceHardening(
  { host, publicHosts, trustedProxies }: ServiceAddresses,
  callbacks: Pick<ServerHardening, 'onError' | 'onUnreadable' | 'isTransient'>,
): ServerHardening {
  return {
    ...callbacks,
    publicHosts,
    trustedProxies,
    hostNames: [host.toLowerCase(), 'localhost', '127.0.0.1'],
    createHeaders: () => SAFE_HEADERS,
    maxBodyBytes: 65_536,
    strangers: 'stay',
    closing: 'idle',
    undecodablePath: 400,
  };
}
