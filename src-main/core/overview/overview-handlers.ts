import type { HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

/** The handlers of `overview/…`. */
export function createOverviewHandlers(parts: { readonly cache: Cache }): HandlersOf<'overview'> {
  const { cache } = parts;
  return {
    'overview/read-volume': async (input) => {
      const [inbound, outbound] = await Promise.all([
        cache.readVolume({ ...input, report: 'inbound-detail' }),
        cache.readVolume({ ...input, report: 'outbound-detail' }),
      ]);
      return {
        inbound: inbound.buckets,
        outbound: outbound.buckets,
        inboundCoverage: inbound.coverage,
        outboundCoverage: outbound.coverage,
      };
    },
    'overview/read-attention': ({ connectionId }) => cache.readAttention(connectionId),
  };
}
