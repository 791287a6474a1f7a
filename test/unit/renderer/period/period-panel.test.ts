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

const clickDay = async (panel: ReturnType<typeof show>, name: string) => {
  const day = panel.get<HTMLElement>(`[role=button][aria-label*="${name}"]:not([data-outside-view])`);
  day.element.focus();
  await day.trigger('focusin');
  await day.trigger('click');
};

it('a day that is clicked is a whole day, also on a second click, and another day ends the range', async () => {
  const panel = mount(PeriodPanel, {
    props: {
      selection: { kind: 'custom', fromMs: NOW - 7_000_000, toMs: NOW },
      clock: 'utc',
      zone: 'UTC',
      serviceZone: 'UTC',
      nowMs: NOW,
    },
    attachTo: document.body,
    global: { plugins: [createMessages()] },
  });
  const day = ['2026-10-20', '00:00:00', '2026-10-20', '23:59:59'];
  await clickDay(panel, '20 October');
  expect(read(panel)).toEqual(day);
  await clickDay(panel, '20 October');
  expect(read(panel)).toEqual(day);
  await clickDay(panel, '14 October');
  expect(read(panel)).toEqual(['2026-10-14', '00:00:00', '2026-10-14', '23:59:59']);
  await clickDay(panel, '12 October');
  expect(read(panel)).toEqual(['2026-10-12', '00:00:00', '2026-10-14', '23:59:59']);
  await panel.get('form').trigger('submit');
  expect(panel.emitted('apply')).toEqual([
    [{ kind: 'custom', fromMs: Date.UTC(2026, 9, 12), toMs: Date.UTC(2026, 9, 14, 23, 59, 59) }],
  ]);
});

it('a preset applies itself', async () => {
  const panel = show({ kind: 'preset', preset: 'yesterday' });
  const preset = panel.findAll('.preset').find((button) => button.text() === 'Last hour');
  await preset!.trigger('click');
  expect(panel.emitted('apply')).toEqual([[{ kind: 'preset', preset: 'last-hour' }]]);
});
