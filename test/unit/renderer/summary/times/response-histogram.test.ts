import { flushPromises, mount } from '@vue/test-utils';
import type { Component } from 'vue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toNextNumber } from '../../../../../src-main/common/query/query-fields.ts';
import { backendKey } from '../../../../../src-renderer/backend/backend.ts';
import ChartMenu from '../../../../../src-renderer/components/charts/ChartMenu.vue';
import { createMessages } from '../../../../../src-renderer/messages/index.ts';
import { listRoundPlaces, toTimeCondition } from '../../../../../src-renderer/charts/chart-marks.ts';
import ResponseHistogram from '../../../../../src-renderer/screens/summary/charts/times/ResponseHistogram.vue';
import { installFakeCanvas } from '../../support/fake-canvas.ts';
import { ScriptedBackend } from '../../support/scripted-backend.ts';
import { makeBasis } from './make-basis.ts';

/** The greatest number below. */
const BELOW_300 = toNextNumber(300, -1);
const EDGES = [80, 100, 150, 200, 300];
const buckets = EDGES.map((fromMs, place) => ({ fromMs, toMs: EDGES[place + 1] ?? null, count: place * 10 }));

beforeEach(installFakeCanvas);
afterEach(() => vi.restoreAllMocks());

test('the axis of response times is named at round times, more of them where they are few', () => {
  expect(listRoundPlaces(buckets, 6)).toEqual([1, 3]);
  expect(listRoundPlaces(buckets, 1)).toEqual([1]);
  expect(listRoundPlaces([{ fromMs: 0, toMs: 1.5 }], 6)).toEqual([]);
});

test('a bucket is opened without the time at which the next one begins', () => {
  expect(buckets.slice(-2).map((bucket) => toTimeCondition(bucket))).toEqual([
    { field: 'responseTimeMs', min: 200, max: BELOW_300 },
    { field: 'responseTimeMs', min: 300 },
  ]);
});

test('how long requests took is read with arrows, and those without a time are named', async () => {
  const times = { count: 100, averageMs: 150, medianMs: 160, p90Ms: 300, p95Ms: 320, p99Ms: 400, maxMs: 500 };
  const backend = new ScriptedBackend({
    'analysis/read-distribution': () => ({ buckets, times, missingCount: 1 }),
  });
  const panel = mount(ResponseHistogram, {
    props: { basis: makeBasis(), about: [] },
    global: { plugins: [createMessages()], provide: { [backendKey as symbol]: backend } },
    attachTo: document.body,
  });
  await flushPromises();
  expect(panel.text()).toMatch(/median 160 ms, 95th 320 ms.* · 1 record has no response time/);
  const slider = panel.get('[role=slider]');
  expect(slider.attributes('aria-valuetext')).toBe('300 ms or longer, 40 requests, 40.0%');
  await slider.trigger('keydown', { key: 'ArrowLeft' });
  expect(slider.attributes('aria-valuetext')).toBe('200 to 300 ms, 30 requests, 30.0%');
  await slider.trigger('keydown', { key: 'Enter' });
  expect(panel.emitted('pick')).toEqual([[[{ field: 'responseTimeMs', min: 200, max: BELOW_300 }]]]);
  panel.getComponent(ChartMenu as Component).vm.$emit('update:asTable', true);
  await flushPromises();
  expect(panel.findAll('tbody tr').at(-1)?.text()).toContain('1 record has no response time');
  panel.unmount();
});
