import { expect, it } from 'vitest';
import { type ConnectionPlans, NO_PLANS } from '../../../../src-main/common/model/connections/planned.ts';
import {
  createPlannedHandlers,
  type Slot,
  SLOT_MS,
  suggestPlanned,
} from '../../../../src-main/core/planned/planned-handlers.ts';

const NOW = Date.UTC(2026, 10, 27, 9);
const DAY = 86_400_000;
const DRAFT = {
  name: 'Maintenance',
  kind: 'planned',
  zone: 'UTC',
  times: { repeats: 'weekly', weekdays: ['thursday'], from: '21:00', minutes: 180 },
  leftOut: { findings: true, alerts: 'muted', uptime: true },
} as const;

function openHandlers() {
  let plans: ConnectionPlans = NO_PLANS;
  const handlers = createPlannedHandlers({
    connections: {
      get: () => ({ serviceZone: 'UTC', plans }) as never,
      savePlans: (id: string, change: (before: ConnectionPlans) => ConnectionPlans) => {
        plans = change(plans);
        return Promise.resolve({ id, plans } as never);
      },
    },
    engine: {} as never,
    ledger: {} as never,
    now: () => NOW,
  });
  return { handlers, read: () => plans };
}

/** Half hours of five weeks with 40 requests each, but for those that `isQuiet` says. */
function makeSlots(isQuiet: (atMs: number) => boolean): Slot[] {
  return Array.from({ length: 35 * 48 }, (_, place) => {
    const fromMs = Math.floor(NOW / SLOT_MS) * SLOT_MS - (35 * 48 - place) * SLOT_MS;
    return { fromMs, toMs: fromMs + SLOT_MS, count: isQuiet(fromMs) ? 1 : 40 };
  });
}
const isThursdayNight = (atMs: number): boolean => {
  const date = new Date(atMs);
  return date.getUTCDay() === 4 && date.getUTCHours() >= 21;
};

it('planned times and marks are added, changed and removed, and one that is wrong changes nothing', async () => {
  const { handlers, read } = openHandlers();
  const connectionId = 'one';
  await handlers['planned/save-time']({ connectionId, timeId: null, draft: DRAFT as never });
  const id = read().times[0]?.id ?? '';
  await handlers['planned/save-time']({
    connectionId,
    timeId: id,
    draft: { ...DRAFT, name: 'Longer' } as never,
  });
  expect(read().times).toMatchObject([{ id, name: 'Longer' }]);
  const wrong = { ...DRAFT, zone: 'Mars/Base' } as never;
  expect(() => handlers['planned/save-time']({ connectionId, timeId: null, draft: wrong })).toThrow(
    expect.objectContaining({ code: 'planned.invalid' }),
  );
  await handlers['planned/save-mark']({
    connectionId,
    markId: null,
    draft: { kind: 'release', atMs: NOW, text: '4.19' },
  });
  expect(() => handlers['planned/remove-mark']({ connectionId, markId: 'other' })).toThrow(
    expect.objectContaining({ code: 'planned.not-found' }),
  );
  await handlers['planned/remove-time']({ connectionId, timeId: id });
  expect(read()).toMatchObject({ times: [], marks: [{ text: '4.19' }] });
});

it('a calendar that is imported again takes the place of what came from it before; an export is added once', async () => {
  const { handlers, read } = openHandlers();
  const event = 'BEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\nEND:VEVENT';
  const calendar = {
    connectionId: 'one',
    fileName: 'days.ics',
    text: `BEGIN:VCALENDAR\n${event}\nEND:VCALENDAR`,
  };
  await handlers['planned/import'](calendar);
  await handlers['planned/import'](calendar);
  expect(read().times).toHaveLength(1);
  const file = {
    format: 'channelscope-planned-times',
    version: 1,
    times: [DRAFT],
    marks: [{ kind: 'note', atMs: 1, text: 'Here' }],
  };
  const exported = { connectionId: 'one', fileName: 'plans.json', text: JSON.stringify(file) };
  await handlers['planned/import'](exported);
  await handlers['planned/import'](exported);
  expect(read()).toMatchObject({
    times: [{ name: 'days.ics' }, { name: 'Maintenance' }],
    marks: [{ text: 'Here' }],
  });
  const broken = { ...exported, text: '{"times":' };
  await expect(handlers['planned/import'](broken)).rejects.toMatchObject({ code: 'planned.no-calendar' });
  expect(read().times).toHaveLength(2);
});

it('a time that is quiet each week is suggested, until it is planned or dismissed', () => {
  const slots = makeSlots(isThursdayNight);
  const [found, ...others] = suggestPlanned({ slots, zone: 'UTC', plans: undefined });
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    weekday: 'thursday',
    from: '21:00',
    minutes: 180,
    requests: 30,
    usual: 1_200,
  });
  expect(found?.spans).toHaveLength(5);
  const planned = { ...NO_PLANS, times: [{ ...DRAFT, id: 'a' }] } as never;
  expect(suggestPlanned({ slots, zone: 'UTC', plans: planned })).toEqual([]);
  const dismissed = { ...NO_PLANS, dismissed: [found?.key ?? ''] };
  expect(suggestPlanned({ slots, zone: 'UTC', plans: dismissed })).toEqual([]);
});

it('nothing is suggested for nights that are all quiet, for one quiet Thursday, or for what is not cached', () => {
  const nights = makeSlots((atMs) => new Date(atMs).getUTCHours() < 6);
  const once = makeSlots((atMs) => isThursdayNight(atMs) && NOW - atMs < 3 * DAY);
  const uncached = makeSlots(isThursdayNight).map((slot) => ({
    ...slot,
    count: slot.count === 1 ? null : slot.count,
  }));
  for (const slots of [nights, once, uncached])
    expect(suggestPlanned({ slots, zone: 'UTC', plans: undefined })).toEqual([]);
});
