import { CODE_CLASSES, toCodeClass, type Facets } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { scanRecords } from './scan-records.ts';

/** Distinct values listed of one field; the most frequent ones. */
const LISTED_VALUES = 500;

/** Counts the distinct values of a detail snapshot, the most frequent first; code classes in their own order. */
export async function countFacets(
  database: Database,
  snapshot: Snapshot,
  pause: () => Promise<void>,
): Promise<Facets> {
  const codes = new Map<number | null, number>();
  const channels = new Map<number | null, number>();
  const services = new Map<number | null, number>();
  const origins = new Map<string, number>();
  const visit = (
    code: number | null,
    channel: number | null,
    service: number | null,
    origin: string,
  ): void => {
    increase(codes, code);
    increase(channels, channel);
    increase(services, service);
    increase(origins, origin);
  };
  await scanRecords(database, snapshot, 'response_code, channel, service, origin', pause, visit);
  const classes = new Map(CODE_CLASSES.map((name) => [name, 0]));
  for (const [code, count] of codes) {
    const name = toCodeClass(code);
    classes.set(name, (classes.get(name) ?? 0) + count);
  }
  return {
    codeClasses: [...classes].filter(([, count]) => count > 0).map(([value, count]) => ({ value, count })),
    responseCodes: rank(codes),
    channels: rank(channels),
    services: rank(services),
    origins: rank(origins),
  };
}

function increase<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function rank<Value extends string | number>(
  counts: ReadonlyMap<Value | null, number>,
): { value: Value; count: number }[] {
  return [...counts]
    .flatMap(([value, count]) => (value === null ? [] : [{ value, count }]))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, LISTED_VALUES);
}
