import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { SQL_TIME_LIMIT_MS, type SqlFailure, type SqlOutcome } from '../../common/model/records/sql.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { SqlProgress } from '../analysis/engine/engine-operations.ts';

/** A statement that does not end this long after it was told to holds a thread: its process is ended. */
const DEAF_MS = 2000;
/** Each holds one of the four threads on which the engine's process waits for DuckDB. */
const MAX_RUNNING = 2;

type SqlEngine = Pick<Engine, 'runSql' | 'countSqlTables' | 'readSqlRows' | 'closeSqlResult' | 'abandon'>;

/** The handlers of `sql/…`. A cancelled statement is reported at once, whatever its process is doing. */
export function createSqlHandlers(parts: {
  readonly engine: SqlEngine;
  readonly connections: Pick<ConnectionStore, 'get'>;
  /** Given by tests. */
  readonly sqlTimeLimitMs?: number;
}): HandlersOf<'sql'> {
  const { engine, connections, sqlTimeLimitMs: timeLimitMs = SQL_TIME_LIMIT_MS } = parts;
  const running = new Map<string, (fault: 'cancelled' | 'timeout') => void>();

  return {
    'sql/run': async ({ runId, otherConnectionIds = [], ...question }) => {
      if (question.toMs <= question.fromMs || !isTimeZone(question.zone)) {
        throw new AppError('app.invalid-input', 'A statement needs a period and a time zone.');
      }
      const ids = [...new Set([question.connectionId, ...otherConnectionIds])];
      // Its own connection may be one that only its records are left of.
      const owned =
        ids.length === 1 ? {} : { owners: ids.map((id) => ({ id, name: connections.get(id).name })) };
      for (const cancelOldest of [...running.values()].slice(0, 1 - MAX_RUNNING)) cancelOldest('cancelled');
      const controller = new AbortController();
      let tellEnd: (failure: SqlFailure) => void = () => undefined;
      const ended = new Promise<SqlFailure>((resolve) => {
        tellEnd = resolve;
      });
      const { signal } = controller;
      let timer: NodeJS.Timeout | undefined;
      // The engine ends a statement by itself when its time is over; this is for one that doesn't let it.
      const onProgress = (progress: unknown): void => {
        clearTimeout(timer);
        if (progress === ('started' satisfies SqlProgress))
          timer = setTimeout(() => stop('timeout'), timeLimitMs + DEAF_MS);
      };
      const stop = (fault: 'cancelled' | 'timeout'): void => {
        controller.abort();
        tellEnd({ kind: 'failed', fault, message: '', offset: null });
        const deaf = setTimeout(() => void engine.abandon(), DEAF_MS);
        const calm = (): void => clearTimeout(deaf);
        void answer.then(calm, calm);
      };
      const answer = engine
        .runSql({ ...question, ...owned, timeLimitMs }, { signal, onProgress })
        .catch(toOutcome);
      running.set(runId, stop);
      try {
        return await Promise.race([answer, ended]);
      } finally {
        clearTimeout(timer);
        running.delete(runId);
      }
    },
    'sql/cancel': ({ runId }) => {
      running.get(runId)?.('cancelled');
      return null;
    },
    'sql/count-tables': (period) => {
      if (period.toMs <= period.fromMs) throw new AppError('app.invalid-input', 'Tables are of a period.');
      return engine.countSqlTables(period);
    },
    'sql/read-rows': (place) => engine.readSqlRows(place),
    'sql/close-result': async ({ resultId }) => {
      await engine.closeSqlResult(resultId);
      return null;
    },
  };
}

function toOutcome(error: unknown): SqlOutcome {
  const fail = (fault: SqlFailure['fault'], message = ''): SqlFailure => ({
    kind: 'failed',
    fault,
    message,
    offset: null,
  });
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'analysis.stopped') return fail('stopped');
  if (error.code === 'analysis.out-of-memory') return fail('memory');
  if (error.code === 'app.cancelled') return fail('cancelled');
  if (error.code === 'analysis.failed') return fail('statement', String(error.details['reason'] ?? ''));
  throw error;
}
