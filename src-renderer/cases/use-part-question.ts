import { useRouter } from 'vue-router';
import type { PartQuestion } from '../../src-main/common/model/cases/case.ts';
import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import type { RecordScope } from '../../src-main/common/model/records/record-scope.ts';
import { createQueryClock } from '../../src-main/common/query/query-clock.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';
import { DETAIL_KINDS } from '../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../src-main/common/time/durations.ts';
import { NO_FILTER } from '../filters/edit-filter.ts';
import { toPeriodText } from '../period/period-query.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useClockStore } from '../stores/window/clock.ts';

const MAX_QUERY_CHARACTERS = 20_000;

interface Asked {
  /** The shown one where it is left out. */
  readonly connectionId?: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly filter?: RecordFilter;
  /** Left out, the records of both directions in the time. */
  readonly scopes?: readonly RecordScope[];
  readonly zone?: string;
  /** Left out, the address of the screen. */
  readonly place?: string;
}

/** Returns a function that makes the question of a part: what is asked, and the address that shows it in its own period. */
export function usePartQuestion() {
  const router = useRouter();
  const connections = useConnectionsStore();
  const clock = useClockStore();

  function toPlace(fromMs: number, toMs: number): string {
    const { path, query, meta } = router.currentRoute.value;
    // A period that moves with the clock would show another time later.
    const period =
      meta['hasPeriod'] === true
        ? { period: toPeriodText({ kind: 'custom', fromMs, toMs: Math.max(fromMs, toMs - SECOND_MS) }) }
        : {};
    return router.resolve({ path, query: { ...query, ...period } }).fullPath;
  }

  return ({ filter = NO_FILTER, fromMs, toMs, ...asked }: Asked): PartQuestion | null => {
    const { connectionId = connections.active?.id, zone = clock.zone, place = toPlace(fromMs, toMs) } = asked;
    if (connectionId === undefined) return null;
    const scopes = asked.scopes ?? DETAIL_KINDS.map((report) => ({ connectionId, report, fromMs, toMs }));
    const query = writeQuery(filter, createQueryClock(zone)).slice(0, MAX_QUERY_CHARACTERS);
    return { connectionId, scopes: [...scopes], filter, query, fromMs, toMs, zone, place };
  };
}
