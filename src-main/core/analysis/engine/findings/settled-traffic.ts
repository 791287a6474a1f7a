import type { DuckDBConnection } from '@duckdb/node-api';
import { HOUR_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { LongCells } from '../../findings/long-incidents.ts';
import type { TrafficCells } from '../../findings/traffic-cells.ts';
import type { ResolvedScope, ScopePart } from '../resolved-scope.ts';
import { readLongTraffic } from './read-long-traffic.ts';
import { readLateTraffic, readTraffic } from './read-traffic.ts';

/** Spans that are remembered of each kind, and the cells of one: thirty megabytes together. */
const MAX_SPANS = 4;
const MAX_CELLS = 131_072;

/** Counts the requests of a span. `version` is what the feed's was before the scope was resolved. */
export type ReadSettled<Cells> = (
  connection: DuckDBConnection,
  scope: ResolvedScope,
  question: { readonly span: TimeSpan; readonly version: number },
) => Promise<Cells>;

/**
 * Creates what counts spans that lie behind: it counts again only what has other records than before. Those of a part
 * are the same as long as it has as many, and the feed has taken none away.
 */
export function createSettledReader<Cells extends { readonly slots: Float64Array }>(
  getVersion: () => number,
  read: (connection: DuckDBConnection, scope: ResolvedScope, span: TimeSpan) => Promise<Cells>,
): ReadSettled<Cells> {
  const known = new Map<string, Cells>();
  return async (connection, { direction, parts }, { span, version }) => {
    const scope = { direction, parts: parts.filter((part) => isWithin(part, span)) };
    const key = JSON.stringify([version, scope, span]);
    const cells = known.get(key) ?? (await read(connection, scope, span));
    // The one asked for last is the last to be forgotten.
    known.delete(key);
    if (getVersion() === version && cells.slots.length <= MAX_CELLS) known.set(key, cells);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_SPANS) break;
      known.delete(oldest);
    }
    return cells;
  };
}

/** What was counted of the weeks before: requests by the hour, and by the half hour of weeks. */
export interface SettledTraffic {
  readonly readHours: ReadSettled<TrafficCells>;
  readonly readLateHours: ReadSettled<TrafficCells>;
  readonly readWeeks: ReadSettled<LongCells>;
}

/** Creates what counts the hours and weeks before a window, each once. */
export function createSettledTraffic(getVersion: () => number): SettledTraffic {
  return {
    readHours: createSettledReader(getVersion, (connection, scope, span) =>
      readTraffic(connection, scope, span, HOUR_MS),
    ),
    readLateHours: createSettledReader(getVersion, (connection, scope, span) =>
      readLateTraffic(connection, scope, span, HOUR_MS),
    ),
    readWeeks: createSettledReader(getVersion, readLongTraffic),
  };
}

/** False where none of a part's records can lie in a span. */
function isWithin({ spans, dates }: ScopePart, { fromMs, toMs }: TimeSpan): boolean {
  if (spans?.every((own) => own.toMs <= fromMs || own.fromMs >= toMs) === true) return false;
  if (dates === undefined) return true;
  const { firstMs, lastMs } = dates;
  return firstMs !== null && lastMs !== null && firstMs < toMs && lastMs >= fromMs;
}
