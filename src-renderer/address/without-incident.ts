import { toKindRow } from '../../src-main/common/model/analysis/finding-kinds.ts';
import { listPlaces, type Finding } from '../../src-main/common/model/analysis/finding.ts';
import type { FilterGroup } from '../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import type { Backend } from '../backend/backend.ts';

/** The incidents of a period that most requests of a direction were hit by. Only those known already: none is looked for. */
export async function listHittingParts(
  backend: Backend,
  { connectionId, period, direction }: { connectionId: string; period: TimeSpan; direction: Direction },
): Promise<Finding[]> {
  const kept = await backend.call('incidents/list-kept', { connectionIds: [connectionId], period });
  return kept
    .flatMap(({ incidents }) => incidents)
    .filter(({ state }) => state !== 'dismissed')
    .flatMap(({ parts }) => parts)
    .filter(({ kind, directions }) => toKindRow(kind).isHitting && directions.includes(direction))
    .sort((a, b) => b.count - a.count);
}

/** Everything but the requests at the place of an incident while it lasted. */
export function toWithout(part: Finding): FilterGroup {
  const place = (['channel', 'service'] as const).flatMap((field) =>
    part[field] === null ? [] : [{ field, values: [part[field]] }],
  );
  const closer = listPlaces(part.within).map(({ field, value }) => ({ field, values: [value] }));
  const time = { field: 'dateMs' as const, min: part.sinceMs, max: part.endedMs ?? part.untilMs };
  return { any: [{ conditions: [...place, ...closer, time] }], exclude: true };
}
