import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import PeriodPanel from '../../../../src-renderer/period/picker/PeriodPanel.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import type { PeriodSelection } from '../../../../src-renderer/period/period-selection.ts';

const NOW = Date.UTC(2026, 9, 25, 12);
const show = (selection: PeriodSelection, zone = 'Europe/Berlin') =>
  mount(PeriodPanel, {
    props: { selection, clock: 'service', zone, serviceZone: 'Europe/Berlin', nowMs: NOW },
    global: { plugins: [createMessages()] },
  });
const read = (panel: ReturnType<typeof show>) => panel.findAll('input').map((input) => input.element.value);

it('picks days in the clock and sends them in the service time zone', async () => {
  const panel = show({ kind: 'preset', preset: 'yesterday' });
  expect(read(panel)).toEqual(['2026-10-24', '00:00:00', '2026-10-24', '23:59:59']);
  await panel.setProps({ clock: 'utc', zone: 'UTC' });
  expect(read(panel)).toEqual(['2026-10-24', '00:00:00', '2026-10-24', '23:59:59']);
  expect(panel.text()).toContain('startDate 2026-10-24 02:00:00');
  expect(panel.text()).toContain("UTC. The service's clock reads 13:00.");
});

it('keeps two instants in another clock, and in an hour that is shown twice', async () => {
  // From 02:30 to 02:45, the second time around.
  const chosen = { kind: 'custom' as const, fromMs: NOW - 10.5 * 3_600_000, toMs: NOW - 10.25 * 3_600_000 };
  const panel = show(chosen);
  expect(read(panel)).toEqual(['2026-10-25', '02:30:00', '2026-10-25', '02:45:00']);
  await panel.setProps({ clock: 'utc', zone: 'UTC' });
  expect(read(panel)).toEqual(['2026-10-25', '01:30:00', '2026-10-25', '01:45:00']);
  await panel.setProps({ clock: 'service', zone: 'Europe/Berlin' });
  await panel.get('form').trigger('submit');
  expect(panel.emitted('apply')).toEqual([[chosen]]);
});
