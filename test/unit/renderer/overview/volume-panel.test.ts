import { mount } from '@vue/test-utils';
import { expect, it, vi } from 'vitest';
import { h } from 'vue';
import VolumePanel from '../../../../src-renderer/screens/overview/volume/VolumePanel.vue';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const chart = vi.hoisted(() => ({ isThere: true }));
vi.mock('../../../../src-renderer/screens/overview/volume/VolumeChart.vue', () => ({
  __esModule: true,
  get default() {
    if (!chart.isThere) throw new TypeError('Failed to fetch');
    return { render: () => h('canvas') };
  },
}));

const HOUR_MS = 3_600_000;
const point = { fromMs: 0, toMs: HOUR_MS, inbound: 3, outbound: 2, errors: 0, errorRate: 0 };

const PROPS = {
  points: [point],
  slots: [{ inbound: 'whole' as const, outbound: 'whole' as const }],
  zone: 'UTC',
  isLastDay: true,
  isDownloading: false,
  error: null,
  downloadError: null,
};

async function show(inboundCoverage: number, outboundCoverage: number): Promise<string> {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const panel = mount(VolumePanel, {
    props: { ...PROPS, inboundCoverage, outboundCoverage },
    global: { ...global, stubs: { VolumeChart: true } },
  });
  return panel.text();
}

it('calls all of it cached only where nothing lacks', async () => {
  // Two hours of thirty days are missing.
  const text = await show(1, 0.997);
  expect(text).toContain('Cached in the last 24 hours: 100% inbound, >99% outbound.');
  expect(text).toContain('Fetch missing');
  // Sums of many parts are rounded.
  expect(await show(1, 0.999_999_9)).toContain('These 24 hours are cached.');
});

it('names the direction that its line is of where the other one is not cached', async () => {
  expect(await show(1, 0.5)).toContain('Error share, both directions');
  expect(await show(0.4, 0)).toContain('Error share, inbound');
  expect(await show(0, 1)).toContain('Error share, outbound');
});

it('says so in its place where what draws the chart could not be fetched, and fetches it when asked to', async () => {
  chart.isThere = false;
  const { global } = await provideApplication(new ScriptedBackend({}));
  const panel = mount(VolumePanel, { props: { ...PROPS, inboundCoverage: 1, outboundCoverage: 1 }, global });
  await vi.waitFor(() => expect(panel.find('[role=alert]').exists()).toBe(true));
  chart.isThere = true;
  await panel.get('[role=alert] button').trigger('click');
  await vi.waitFor(() => expect(panel.find('canvas').exists()).toBe(true));
  expect(panel.find('[role=alert]').exists()).toBe(false);
});
