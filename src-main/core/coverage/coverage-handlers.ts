import type { HandlersOf, Output } from '../../common/contract/index.ts';
import { join, toBuckets, type CoverageSpan } from './coverage-spans.ts';
import type { Ledger } from './create-ledger.ts';

type Gap = Output<'coverage/read'>['gaps'][number];

/** The handlers of `coverage/…`. */
export function createCoverageHandlers({ ledger }: { readonly ledger: Ledger }): HandlersOf<'coverage'> {
  const toGaps = (spans: readonly CoverageSpan[]): Gap[] => {
    const gaps = spans.flatMap(({ fromMs, toMs, state, fetching }): Gap[] =>
      state === 'settled' ? [] : [{ fromMs, toMs, state, fetching }],
    );
    return join(gaps, (a, b) => a.state === b.state && a.fetching === b.fetching);
  };
  return {
    'coverage/read-snapshot': async ({ snapshotId }) => toGaps((await ledger.readSnapshot(snapshotId)).spans),
    'coverage/read': async ({ connectionId, report, fromMs, toMs, buckets }) => {
      const { spans, unreadyRecords } = await ledger.read({ connectionId, report }, { fromMs, toMs });
      return { buckets: toBuckets(spans, buckets), gaps: toGaps(spans), unreadyRecords };
    },
  };
}
