import { computed } from 'vue';
import type { Connection } from '../../src-main/common/model/connections/connection.ts';
import { DIRECTIONS } from '../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import { useBackend } from '../backend/backend.ts';
import { useQuery } from '../composables/use-query.ts';
import type { KnownOf } from './use-several-words.ts';

/**
 * What of a period is cached of several connections, of the direction that has less of it; nothing is said of one alone,
 * nor while it is not known.
 */
export function useSeveralCoverage(
  connections: () => readonly Connection[],
  readSpan: () => TimeSpan | null,
) {
  const backend = useBackend();
  const { value } = useQuery(
    () => JSON.stringify([connections().map(({ id }) => id), readSpan()]),
    async (): Promise<KnownOf[]> => {
      const span = readSpan();
      if (span === null || connections().length < 2) return [];
      const { fromMs } = span;
      // Nobody can have cached what is still to come.
      const toMs = Math.min(span.toMs, Math.floor(Date.now() / SECOND_MS) * SECOND_MS);
      if (toMs <= fromMs) return [];
      const measure = async (connectionId: string): Promise<KnownOf> => {
        const missing = await Promise.all(
          DIRECTIONS.map(async (direction) => {
            const report = `${direction}-detail` as const;
            const subject = { connectionId, report, fromMs, toMs, buckets: 1 };
            const { gaps } = await backend.call('coverage/read', subject);
            return gaps
              .filter(({ state }) => state !== 'open')
              .reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
          }),
        );
        return {
          connectionId,
          missingMs: Math.max(...missing),
          isEmpty: missing.every((ms) => ms >= toMs - fromMs),
        };
      };
      return Promise.all(connections().map(({ id }) => measure(id)));
    },
    { events: ['coverage/changed'] },
  );
  return computed(() => value.value ?? []);
}
