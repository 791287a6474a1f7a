import { expect, it } from 'vitest';
import { createApp, nextTick, shallowRef } from 'vue';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import {
  useGapForecast,
  type ReportGaps,
} from '../../../../src-renderer/screens/library/downloads/forecasts.ts';
import { HeldBackend } from '../support/held-backend.ts';

const period = { startDate: '', endDate: '', fromMs: 0, toMs: 1000, zone: 'UTC' };
const inbound: ReportGaps = { report: 'inbound-detail', periods: [period] };
const outbound: ReportGaps = { report: 'outbound-detail', periods: [period] };
const plan = { recordCount: 10, isAtLeast: false, durationMs: 1000, diskBytes: 5 };

it('a forecast is one of the reports that are chosen, and of no others', async () => {
  const backend = new HeldBackend();
  const wanted = shallowRef<readonly ReportGaps[]>([inbound]);
  const forecast = createApp({})
    .provide(backendKey, backend)
    .runWithContext(() => useGapForecast('one', wanted));
  const finish = async (place: number): Promise<void> => {
    await backend.of('downloads/start-plan')[place]!.answer({ taskId: `plan-${place}` });
    await backend.of('tasks/wait')[place]!.answer({ state: 'done', plan });
  };
  await finish(0);
  expect(forecast.value?.recordCount).toBe(10);
  wanted.value = [inbound, outbound];
  await nextTick();
  expect(forecast.value).toBeNull();
  await finish(1);
  expect(forecast.value).toBeNull();
  await finish(2);
  expect(forecast.value?.recordCount).toBe(20);
});
