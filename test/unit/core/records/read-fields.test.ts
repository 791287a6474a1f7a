import { expect, it } from 'vitest';
import type { RecordFields } from '../../../../src-main/common/model/records/record.ts';
import type { Engine } from '../../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../../src-main/core/cache/cache.ts';
import { createRecordsHandlers } from '../../../../src-main/core/records/records-handlers.ts';

const NONE: RecordFields = { recordCount: 0, values: [], times: [] };

it('what a view has in its fields is no longer counted once the view is closed, or asked for again', async () => {
  const signals: AbortSignal[] = [];
  const answers: ((fields: RecordFields) => void)[] = [];
  const engine = {
    readFields: (_question, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal === undefined) throw new Error('The call can not be ended.');
        signals.push(signal);
        signal.addEventListener('abort', () => reject(new Error('ended')));
        answers.push(resolve);
      }),
    closeView: () => Promise.resolve(),
  } satisfies Pick<Engine, 'readFields' | 'closeView'>;
  const records = createRecordsHandlers({
    cache: {} as Cache,
    engine: engine as unknown as Engine,
    connections: { listSaved: () => [] },
  });
  const ask = (viewId: string) =>
    records['records/read-fields']({ viewId, scope: { snapshotId: 1 }, filter: { conditions: [] } });

  const first = ask('a');
  const again = ask('a');
  const other = ask('b');
  await expect(first).rejects.toThrow('ended');
  await records['records/close-view']({ viewId: 'a' });
  await expect(again).rejects.toThrow('ended');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  answers[2]?.(NONE);
  expect(await other).toEqual(NONE);
  await records['records/close-view']({ viewId: 'b' });
  expect(signals[2]?.aborted).toBe(false);
});
