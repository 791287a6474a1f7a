import type { HandlersOf } from '../../common/contract/index.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { listLacking, measureSpans } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/ledger.ts';

interface Known {
  readonly missingMs: number;
  /** Nothing of the period has been read to its end. */
  readonly isEmpty: boolean;
}

/** The handlers of `several/…`. */
export function createSeveralHandlers(parts: {
  readonly engine: Pick<Engine, 'measureConnections' | 'findSharedFamilies'>;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly ledger: Pick<Ledger, 'read'>;
  now(): number;
}): HandlersOf<'several'> {
  const { engine, connections, ledger, now } = parts;
  const readKnown = async (
    connectionId: string,
    { report, fromMs, ...asked }: TimeSpan & { readonly report: DetailKind },
  ): Promise<Known> => {
    // Nobody can have cached what is still to come.
    const toMs = Math.min(asked.toMs, Math.floor(now() / SECOND_MS) * SECOND_MS);
    if (toMs <= fromMs) return { missingMs: 0, isEmpty: true };
    const { spans } = await ledger.read({ connectionId, report }, { fromMs, toMs });
    const missingMs = measureSpans(listLacking(spans));
    return { missingMs, isEmpty: missingMs >= toMs - fromMs };
  };
  /** Throws for a connection that is gone. */
  const toScopes = (
    connectionIds: readonly string[],
    { report, fromMs, toMs }: TimeSpan & { readonly report: DetailKind },
  ) => connectionIds.map((id) => ({ connectionId: connections.get(id).id, report, fromMs, toMs }));

  return {
    'several/read-figures': async ({ connectionIds, filter, family, ...period }) => {
      const scopes = toScopes(connectionIds, period);
      const known = await Promise.all(connectionIds.map((id) => readKnown(id, period)));
      const measured = await engine.measureConnections({ scopes, filter, family: family ?? null });
      return measured.map(({ connectionId, ...figures }, place) => {
        const { missingMs, isEmpty } = known[place] ?? { missingMs: 0, isEmpty: true };
        return { connectionId, missingMs, figures: isEmpty && figures.count === 0 ? null : figures };
      });
    },
    'several/find-error-families': async ({ connectionIds, filter, ...period }) => {
      const scopes = toScopes(connectionIds, period);
      const known = await Promise.all(connectionIds.map((id) => readKnown(id, period)));
      const { families, familyCount, totals } = await engine.findSharedFamilies({ scopes, filter });
      return {
        families,
        familyCount,
        connections: totals.map(({ connectionId, ...counts }, place) => {
          const { missingMs, isEmpty } = known[place] ?? { missingMs: 0, isEmpty: true };
          return { connectionId, missingMs, counts: isEmpty && counts.recordCount === 0 ? null : counts };
        }),
      };
    },
  };
}
