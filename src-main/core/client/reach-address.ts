import { mapNetworkError } from './map-network-error.ts';

const MAX_REACH_MS = 10_000;

/**
 * Returns the status of a GET of an address, whatever it is: the service can be reached. Rejects with a
 * `client.*` AppError that names the layer that failed, after 10 s at the latest.
 */
export async function reachAddress(
  fetch: typeof globalThis.fetch,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_REACH_MS)]);
    const response = await fetch(address, { method: 'GET', redirect: 'manual', signal: limit });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw mapNetworkError(error);
  }
}
