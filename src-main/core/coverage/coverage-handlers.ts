import type { HandlersOf, Output } from '../../common/contract/index.ts';
import { join, toBuckets } from './coverage-spans.ts';
import type { Ledger } from './create-ledger.ts';

type Gap = Output<'coverage/read'>['gaps'][number];

/** The handlers of `coverage/…`. */
export function createCoverageHandlers({ ledger }: { readonly ledger: Ledger }): HandlersOf<'coverage'> {
  return {
    'coverage/read': async ({ connectionId, report, fromMs, toMs, buckets }) => {
      const { spans, unreadyRecords } = await ledger.read({ connectionId, report }, { fromMs, toMs });
      const gaps = spans.flatMap(({ fromMs: from, toMs: to, state, fetching }): Gap[] =>
        state === 'settled' ? [] : [{ fromMs: from, toMs: to, state, fetching }],
      );
      return {
        buckets: toBuckets(spans, buckets),
        gaps: join(gaps, (a, b) => a.state === b.state && a.fetching === b.fetching),
        unreadyRecords,
      };
    },
  };
}
