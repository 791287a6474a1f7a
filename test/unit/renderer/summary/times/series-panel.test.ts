import { flushPromises, mount } from '@vue/test-utils';
import type { Component } from 'vue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { backendKey } from '../../../../../src-renderer/backend/backend.ts';
import ChartMenu from '../../../../../src-renderer/components/charts/ChartMenu.vue';
import { createMessages } from '../../../../../src-renderer/messages/index.ts';
import SeriesPanel from '../../../../../src-renderer/screens/summary/charts/times/SeriesPanel.vue';
import { installFakeCanvas } from '../../support/fake-canvas.ts';
import { ScriptedBackend } from '../../support/scripted-backend.ts';
import { makeBasis, START_MS } from './make-basis.ts';

beforeEach(installFakeCanvas);
afterEach(() => vi.restoreAllMocks());

/** Six hours by the minute or hour; the last two of them are not cached. */
async function mountPanel() {
  const backend = new ScriptedBackend({
    'analysis/read-series': ({ edges }) =>
      edges.slice(0, -1).map((fromMs, place) => {
        const count = place < 4 ? 200 : 0;
        const times = { medianMs: count > 0 ? 120 : null, p95Ms: count > 0 ? 900 : null };
        return { fromMs, toMs: edges[place + 1]!, count, failures: place === 3 ? 7 : 0, ...times };
      }),
  });
  const panel = mount(SeriesPanel, {
    props: { basis: makeBasis(), about: ['Local service'] },
    global: { plugins: [createMessages()], provide: { [backendKey as symbol]: backend } },
    attachTo: document.body,
  });
  await flushPromises();
  await panel.findAll('[role=radio]')[1]!.trigger('click');
  await flushPromises();
  return panel;
}

test('the steps of a period are read with arrows, led to their records, and stand in a table', async () => {
  const panel = await mountPanel();
  // A choice in place of the title does not name the panel.
  expect(panel.get('section').attributes('aria-label')).toBe('Requests over time');
  expect(panel.text()).toContain('66.7% of the period is cached');
  const slider = () => panel.get('[role=slider]');
  const said = (): string | undefined => slider().attributes('aria-valuetext');
  expect(said()).toBe('20 Nov 15:00 – 16:00, not cached');
  await slider().trigger('keydown', { key: 'Home' });
  expect(said()).toBe('20 Nov 10:00 – 11:00, 200 requests, median 120 ms, 95th 900 ms');
  for (let step = 0; step < 3; step += 1) await slider().trigger('keydown', { key: 'ArrowRight' });
  expect(said()).toContain('7 errors (3.50%)');
  await slider().trigger('keydown', { key: 'Enter' });
  const [fromMs, toMs] = [START_MS + 3 * 3_600_000, START_MS + 4 * 3_600_000];
  expect(panel.emitted('pick')).toEqual([[[{ field: 'dateMs', min: fromMs, max: toMs }]]]);
  panel.getComponent(ChartMenu as Component).vm.$emit('update:asTable', true);
  await flushPromises();
  const rows = panel.findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()));
  expect(rows[3]).toEqual(['20 Nov 13:00 – 14:00', '200', '7', '3.50%', '120 ms', '900 ms']);
  expect(rows[5]).toEqual(['20 Nov 15:00 – 16:00', '–', '–', '–', '–', '–']);
  panel.unmount();
});
