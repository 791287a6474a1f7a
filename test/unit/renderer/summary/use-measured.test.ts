import { beforeEach, describe, expect, it } from 'vitest';
import { createApp, nextTick, shallowRef } from 'vue';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { useMeasured, type Question } from '../../../../src-renderer/screens/summary/groups/use-groups.ts';
import { HeldBackend } from '../support/held-backend.ts';

const lastDay: Question = {
  scope: { connectionId: 'one', report: 'inbound-detail', fromMs: 0, toMs: 86_400_000 },
  filter: { conditions: [] },
  version: '1',
  subject: 'last 24 hours of one',
};
const measuredAs = (count: number) => ({ groups: [], groupCount: 1, total: { count } });

describe('groups that are measured', () => {
  let backend: HeldBackend;
  let measured: ReturnType<typeof useMeasured>;
  const question = shallowRef<Question>(lastDay);
  const call = (place: number) => backend.of('analysis/group-records')[place]!;
  const count = (): number | undefined => measured.find(['channel'])?.total.count;

  beforeEach(async () => {
    backend = new HeldBackend();
    question.value = lastDay;
    measured = createApp({})
      .provide(backendKey, backend)
      .runWithContext(() =>
        useMeasured(
          () => question.value,
          () => [['channel']],
        ),
      );
    await call(0).answer(measuredAs(1));
    expect(count()).toBe(1);
  });

  it('stay while the same choice is measured again', async () => {
    question.value = { ...lastDay, version: '2' };
    await nextTick();
    expect(count()).toBe(1);
    await call(1).answer(measuredAs(2));
    expect(count()).toBe(2);
  });

  it('are never those of another connection or period', async () => {
    question.value = {
      ...lastDay,
      scope: { ...lastDay.scope, connectionId: 'two' },
      subject: 'last 24 hours of two',
    };
    await nextTick();
    expect(count()).toBeUndefined();
    await call(1).refuse('analysis.stopped');
    expect([count(), measured.error.value?.code]).toEqual([undefined, 'analysis.stopped']);
    question.value = lastDay;
    await nextTick();
    expect(measured.error.value).toBeNull();
    await call(2).answer(measuredAs(3));
    expect(count()).toBe(3);
  });
});
