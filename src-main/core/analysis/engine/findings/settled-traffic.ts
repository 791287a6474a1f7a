import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { TrafficCells } from '../../findings/traffic-cells.ts';
import type { ResolvedScope, ScopePart } from '../resolved-scope.ts';
import { readTraffic } from './read-traffic.ts';

/** Spans that are remembered, and the cells of one: twenty megabytes together. */
const MAX_SPANS = 4;
const MAX_CELLS = 131_072;

/** As `readTraffic`. `version` is what the feed's was before the scope was resolved. */
export type ReadSettledTraffic = (
  connection: DuckDBConnection,
  scope: ResolvedScope,
  question: { readonly span: TimeSpan; readonly slotMs: number; readonly version: number },
) => Promise<TrafficCells>;

/**
 * Creates a `readTraffic` for spans that lie behind: it counts again only what has other records than before. Those of a
 * part are the same as long as it has as many, and the feed has taken none away.
 */
export function createSettledTraffic(getVersion: () => number): ReadSettledTraffic {
  const known = new Map<string, TrafficCells>();
  return async (connection, { direction, parts }, { span, slotMs, version }) => {
    const scope = { direction, parts: parts.filter((part) => isWithin(part, span)) };
    const key = JSON.stringify([version, scope, span, slotMs]);
    const cells = known.get(key) ?? (await readTraffic(connection, scope, span, slotMs));
    // The one asked for last is the last to be forgotten.
    known.delete(key);
    if (getVersion() === version && cells.counts.length <= MAX_CELLS) known.set(key, cells);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_SPANS) break;
      known.delete(oldest);
    }
    return cells;
  };
}

/** False where none of a part's records can lie in a span. */
function isWithin({ spans, dates }: ScopePart, { fromMs, toMs }: TimeSpan): boolean {
  if (spans?.every((own) => own.toMs <= fromMs || own.fromMs >= toMs) === true) return false;
  if (dates === undefined) return true;
  const { firstMs, lastMs } = dates;
  return firstMs !== null && lastMs !== null && firstMs < toMs && lastMs >= fromMs;
}
