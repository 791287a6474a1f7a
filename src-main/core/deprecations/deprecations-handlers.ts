import type { HandlersOf } from '../../common/contract/index.ts';
import type { DeprecationMatch } from '../../common/model/analysis/deprecation-match.ts';
import { DIRECTIONS } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { MatchedSigns } from '../analysis/engine/count-records.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { measureSpans } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/ledger.ts';

/** The handlers of `deprecations/…`. */
export function createDeprecationsHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'get' | 'saveSigns'>;
  readonly engine: Pick<Engine, 'matchSigns'>;
  readonly ledger: Pick<Ledger, 'read' | 'readExtent'>;
}): HandlersOf<'deprecations'> {
  const { connections, engine, ledger } = parts;
  return {
    'deprecations/match': async ({ connectionId, watched }) => {
      connections.get(connectionId);
      const found: (MatchedSigns & { readonly missingMs: number })[] = [];
      for (const direction of DIRECTIONS) {
        const subject = { connectionId, report: `${direction}-detail` } as const;
        const extent = await ledger.readExtent(subject);
        if (extent === null) continue;
        const { spans } = await ledger.read(subject, extent);
        const missing = spans.filter(({ state }) => state !== 'settled' && state !== 'open');
        const matched = await engine.matchSigns({ connectionId, direction, watched });
        found.push({ ...matched, missingMs: measureSpans(missing) });
      }
      return {
        matches: watched.map(({ id }, place): DeprecationMatch => {
          const own = found.flatMap(({ direction, matches }) => {
            const match = matches[place];
            return match === undefined ? [] : [{ ...match, direction }];
          });
          const dates = own.flatMap(({ firstMs, lastMs }) =>
            firstMs === null || lastMs === null ? [] : [firstMs, lastMs],
          );
          return {
            id,
            count: own.reduce((sum, { count }) => sum + count, 0),
            firstMs: dates.length === 0 ? null : Math.min(...dates),
            lastMs: dates.length === 0 ? null : Math.max(...dates),
            signs: own
              .flatMap(({ direction, signs }) => signs.map((sign) => ({ direction, ...sign })))
              .sort((a, b) => b.count - a.count),
          };
        }),
        searched: found.map(({ direction, all, missingMs }) => ({ direction, ...all, missingMs })),
      };
    },
    'deprecations/save-signs': ({ connectionId, deprecationId, signs }) =>
      connections.saveSigns(connectionId, (kept) => {
        const others = Object.fromEntries(Object.entries(kept).filter(([id]) => id !== deprecationId));
        return signs === null ? others : { ...others, [deprecationId]: signs };
      }),
  };
}
