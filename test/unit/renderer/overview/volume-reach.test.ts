import { mount } from '@vue/test-utils';
import { nextTick } from 'vue';
import { expect, test } from 'vitest';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import VolumeReach from '../../../../src-renderer/screens/overview/volume/VolumeReach.vue';

const START_MS = Date.UTC(2026, 10, 20, 10);
const points = [0, 1, 2].map((index) => ({
  fromMs: START_MS + index * 1_800_000,
  toMs: START_MS + (index + 1) * 1_800_000,
  inbound: index + 1,
  outbound: 1_200,
  errors: 0,
  errorRate: 0,
}));

test('each bar is reached with arrows from one stop, named, and opened with Enter', async () => {
  const reach = mount(VolumeReach, {
    props: { points, area: { left: 40, top: 6, width: 300, height: 200 }, zone: 'UTC' },
    global: { plugins: [createMessages()] },
    attachTo: document.body,
  });
  const findStops = () => reach.findAll('[tabindex="0"]');
  expect(findStops().map((each) => each.attributes('aria-label'))).toEqual([
    '11:00 to 11:30: 3 inbound requests',
  ]);
  const press = async (key: string): Promise<string | undefined> => {
    await findStops()[0]?.trigger('keydown', { key });
    await nextTick();
    expect(findStops()).toHaveLength(1);
    expect(document.activeElement).toBe(findStops()[0]?.element);
    return findStops()[0]?.attributes('aria-label');
  };
  expect(await press('Home')).toBe('10:00 to 10:30: 1 inbound request');
  expect(await press('ArrowLeft')).toBe('10:00 to 10:30: 1 inbound request');
  expect(await press('ArrowRight')).toBe('10:30 to 11:00: 2 inbound requests');
  expect(await press('ArrowDown')).toBe('10:30 to 11:00: 1,200 outbound requests');
  expect(await press('ArrowUp')).toBe('10:30 to 11:00: 2 inbound requests');
  expect(await press('ArrowUp')).toBe('10:30 to 11:00: 1,200 outbound requests');
  await findStops()[0]?.trigger('click');
  expect(reach.emitted('pick')).toEqual([[1, 'outbound']]);
  reach.unmount();
});
