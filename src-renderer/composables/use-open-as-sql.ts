import { useRouter } from 'vue-router';
import { useSqlStore } from '../stores/sql.ts';

/** Returns a function that shows a statement on the SQL screen and runs it there. */
export function useOpenAsSql(): (statement: string, asOfMs: number) => Promise<void> {
  const sql = useSqlStore();
  const router = useRouter();
  return async (statement, asOfMs) => {
    sql.want(statement, asOfMs);
    await router.push('/sql');
  };
}
