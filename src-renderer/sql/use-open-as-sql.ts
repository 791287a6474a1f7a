import { useRouter } from 'vue-router';
import type { SavedStatement } from '../../src-main/common/model/settings/settings.ts';
import type { PeriodEnds } from '../period/period-selection.ts';
import { usePeriodStore } from '../stores/window/times.ts';
import { useSqlStore } from '../stores/records/sql.ts';

/** Returns a function that shows a statement on the SQL screen and runs it there, over a span of its own where one is given. */
export function useOpenAsSql(): (statement: string, asOfMs: number, span?: PeriodEnds) => Promise<void> {
  const sql = useSqlStore();
  const periods = usePeriodStore();
  const router = useRouter();
  return async (statement, asOfMs, span) => {
    if (span !== undefined) periods.selectSpan(span);
    sql.want(statement, asOfMs);
    await router.push('/sql');
  };
}

/** Returns a function that shows a saved statement on the SQL screen and runs it there. */
export function useOpenStatement(): (statement: SavedStatement) => Promise<void> {
  const sql = useSqlStore();
  const router = useRouter();
  return async ({ name, text }) => {
    sql.want(text, Date.now(), { kind: 'saved', name });
    await router.push('/sql');
  };
}
