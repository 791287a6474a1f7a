import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AlertCondition } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import {
  type ConnectionPlans,
  type PlannedTime,
  toDayClock,
} from '../../../../src-main/common/model/connections/planned.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import { testRule } from '../../../../src-main/core/alerts/test-rule.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import {
  collectNotes,
  draftOf,
  errorShare,
  newFamily,
  openRig,
  silence,
  START_MS,
  type AlertRig,
  type SimulatedCache,
  type TrafficMinute,
} from './alert-rig.ts';

let folder: string;
const rigs: AlertRig[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-alerts-'));
});
afterEach(async () => {
  for (const { alerts } of rigs.splice(0)) await alerts.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open(cache: SimulatedCache, options: Parameters<typeof openRig>[2] = {}): Promise<AlertRig> {
  const rig = await openRig(folder, cache, options);
  rigs.push(rig);
  return rig;
}
const isWithin = (minute: number, [from, to]: readonly [number, number]): boolean =>
  minute >= from && minute < to;
const calm: SimulatedCache['checks'] = () => 'up';
const steady = (): TrafficMinute => ({ count: 20 });
const failing =
  (...spans: (readonly [number, number])[]) =>
  (minute: number): TrafficMinute => ({
    count: 20,
    failures: spans.some((span) => isWithin(minute, span)) ? 12 : 0,
  });
const kinds = (rig: AlertRig, ruleId: string): string[] =>
  rig.alerts.book.readLog(ruleId).map(({ kind, notice }) => `${kind} ${notice}`);

const MONTH = 30 * 1440;
const HOUR = 60;

describe('a simulated month', () => {
  const day = (number: number): number => number * 1440;
  const errors = [day(8) + 100, day(8) + 145] as const;
  const slow = [day(12) + 400, day(12) + 490] as const;
  const quiet = [day(16) + 700, day(16) + 760] as const;
  const rush = [day(20) + 30, day(20) + 70] as const;
  const family = day(23) + 15;
  const down = [day(26) + 200, day(26) + 230] as const;
  const traffic = (minute: number): TrafficMinute => {
    // A little of everything is always there, as it is.
    const noise = (minute * 7919) % 13;
    if (isWithin(minute, quiet)) return { count: 0 };
    const count = 20 + (noise % 5) + (isWithin(minute, rush) ? 200 : 0);
    return {
      count,
      failures: isWithin(minute, errors) ? 12 : noise === 0 ? 1 : 0,
      slower: isWithin(minute, slow) ? 9 : noise === 1 ? 1 : 0,
      newFamilies: minute === family ? 1 : 0,
    };
  };
  const rules: readonly (readonly [string, AlertCondition, number])[] = [
    ['Errors', errorShare(), errors[0]],
    ['Slow', errorShare({ measure: 'p90', threshold: 3000 }), slow[0]],
    ['Silence', silence(15), quiet[0]],
    ['Rush', errorShare({ measure: 'volume', threshold: 600 }), rush[0]],
    ['New error', newFamily(30), family],
    ['Down', { kind: 'down', part: 'platform', minutes: 5 }, down[0]],
  ];

  it('each rule fires once and ends once, live and in the test of the past alike', async () => {
    const spans = [{ from: 0, to: 0 }];
    const cache = {
      spans,
      minutes: traffic,
      checks: (minute: number) => (isWithin(minute, down) ? ('down' as const) : ('up' as const)),
    };
    // Thousands of saves would only measure the disk.
    const memory = {
      load: () => Promise.resolve({ states: [], entries: [] }),
      save: () => Promise.resolve(),
    };
    const rig = await open(cache, { memory });
    const saved = [];
    for (const [name, condition] of rules) {
      saved.push(await rig.alerts.save(null, draftOf(name, condition), 'hand'));
    }
    for (let minute = 10; minute <= MONTH; minute += 10) {
      spans[0] = { from: 0, to: minute };
      await rig.at(minute);
    }
    expect(rig.titles.toSorted()).toEqual(rules.flatMap(([name]) => [name, `${name}: ended`]).toSorted());
    for (const [place, { id, condition }] of saved.entries()) {
      const [, fired, ended] = rig.alerts.book.readLog(id);
      const begin = START_MS + (rules[place]?.[2] ?? 0) * MINUTE_MS;
      expect(fired?.atMs).toBeGreaterThan(begin);
      expect((fired?.atMs ?? 0) - begin).toBeLessThanOrEqual(16 * MINUTE_MS);
      expect(ended?.sinceMs).toBe(fired?.atMs);
      const source = { ...rig.source, engine: { readPercentiles: () => Promise.resolve([]) } };
      const engine = { ...(rig.source as never as { engine: object }).engine, ...source.engine };
      const about = {
        nowMs: (ended?.atMs ?? 0) + HOUR * MINUTE_MS,
        connection: { name: '', valueNames: [], zone: 'UTC' },
        words: ENGLISH,
      };
      const tested = await testRule({ ...rig.source, engine } as never, 'one', condition, about);
      expect(tested.firings).toMatchObject([{ sinceMs: fired?.atMs, untilMs: ended?.atMs }]);
    }
    expect(rig.badges.at(-1)).toBe(0);
    expect(Math.max(...rig.badges)).toBe(1);
  });
});

describe('alerts', () => {
  it("are not saved where they measure what their requests don't have", async () => {
    const rig = await open({ spans: [{ from: 0, to: HOUR }], minutes: steady, checks: calm });
    const condition = errorShare({ measure: 'bot-median', direction: 'outbound', threshold: 500 });
    await expect(rig.alerts.save(null, draftOf('Never', condition), 'hand')).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
    expect(rig.alerts.readBoard().rules).toEqual([]);
  });

  it('are told once when they fire and once when they end', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([100, 130]), checks: calm };
    const rig = await open(cache, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'finding');
    for (let minute = 90; minute < 200; minute += 1) await rig.at(minute);
    expect(rig.titles).toEqual(['Errors', 'Errors: ended']);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired computer', 'ended computer']);
  });

  it('that fire as soon as they are made or changed are in the log after that', async () => {
    const cache = { spans: [{ from: 0, to: 110 }], minutes: failing([90, 400]), checks: calm };
    const rig = await open(cache, { startMinute: 110.5 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'finding');
    await rig.alerts.check();
    await rig.alerts.save(id, draftOf('Errors', errorShare({ threshold: 0.1 })), 'hand');
    await rig.alerts.check();
    const log = rig.alerts.book.readLog(id);
    expect(log.map(({ kind }) => kind)).toEqual(['made', 'fired', 'changed', 'fired']);
    const times = log.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('notify nobody while notifications are off, and say so in the log', async () => {
    const cache = { spans: [{ from: 0, to: 200 }], minutes: failing([100, 130]), checks: calm };
    const settings = { alertNotes: false, alertBadge: true };
    const rig = await open(cache, { startMinute: 90, settings });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    for (let minute = 90; minute < 120; minute += 1) await rig.at(minute);
    expect(rig.titles).toEqual([]);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired switched-off']);
    expect(rig.badges.at(-1)).toBe(1);
    // The number goes and comes as soon as it is switched.
    settings.alertBadge = false;
    rig.events.emit('settings/changed', {} as never);
    expect(rig.badges.at(-1)).toBe(0);
    settings.alertNotes = true;
    for (let minute = 120; minute < 160; minute += 1) await rig.at(minute);
    expect(rig.titles).toEqual([]);
    expect(kinds(rig, id).at(-1)).toBe('ended untold');
  });

  it('go on after a restart as if there had been none', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([100, 130]), checks: calm };
    let rig = await open(cache, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    const titles: string[] = [];
    for (let minute = 90; minute < 200; minute += 1) {
      await rig.at(minute);
      if (minute % 7 !== 0) continue;
      titles.push(...rig.titles);
      await rig.alerts.stop();
      rig = await open(cache, { startMinute: minute });
    }
    expect([...titles, ...rig.titles]).toEqual(['Errors', 'Errors: ended']);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired computer', 'ended computer']);
  });

  it('a computer that slept through several incidents wakes to no storm', async () => {
    const spans = [{ from: 0, to: 90 }];
    const minutes = failing([100, 130], [200, 230], [300, 330], [560, 700]);
    const rig = await open({ spans, minutes, checks: calm }, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(90);
    // Nothing was fetched yet: it can't tell.
    await rig.at(600);
    expect(rig.titles).toEqual([]);
    expect(rig.alerts.readBoard().rules[0]?.state).toMatchObject({ firingSinceMs: null, blindMinutes: 510 });
    spans[0] = { from: 0, to: 600 };
    await rig.at(600);
    expect(rig.titles).toEqual(['Errors']);
    expect(kinds(rig, id).filter((kind) => kind.startsWith('fired'))).toEqual([
      'fired over',
      'fired over',
      'fired over',
      'fired computer',
    ]);
  });

  it('what is a day old when it is first seen is noted, and nobody is woken', async () => {
    const spans = [{ from: 0, to: 90 }];
    const rig = await open({ spans, minutes: failing([100, 400]), checks: calm }, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(90);
    spans[0] = { from: 0, to: 150 };
    await rig.at(1700);
    expect(rig.titles).toEqual([]);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired late']);
    spans[0] = { from: 0, to: 1700 };
    await rig.at(1700);
    expect(rig.titles).toEqual([]);
    expect(kinds(rig, id).at(-1)).toBe('ended untold');
  });

  it('records that come late fire nothing twice', async () => {
    const late = { hasCome: false };
    const minutes = (minute: number): TrafficMinute => ({
      count: late.hasCome && isWithin(minute, [100, 130]) ? 30 : 20,
      failures: isWithin(minute, [100, 130]) ? (late.hasCome ? 20 : 12) : 0,
    });
    const rig = await open({ spans: [{ from: 0, to: 600 }], minutes, checks: calm }, { startMinute: 90 });
    await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    for (let minute = 90; minute < 250; minute += 1) {
      if (minute === 180) late.hasCome = true;
      await rig.at(minute);
    }
    expect(rig.titles).toEqual(['Errors', 'Errors: ended']);
  });

  it('a part that can not be reached is not down', async () => {
    const checks = (minute: number): 'up' | 'unreachable' | 'down' =>
      minute < 100 ? 'up' : minute < 130 ? 'unreachable' : 'down';
    const rig = await open({ spans: [], minutes: steady, checks }, { startMinute: 90 });
    await rig.alerts.save(null, draftOf('Down', { kind: 'down', part: 'connector', minutes: 5 }), 'hand');
    for (let minute = 90; minute < 130; minute += 1) await rig.at(minute);
    expect(rig.titles).toEqual([]);
    expect(rig.alerts.readBoard().rules[0]?.state.blindMinutes).toBeGreaterThan(20);
    for (let minute = 130; minute < 140; minute += 1) await rig.at(minute);
    expect(rig.titles).toEqual(['Down']);
    expect(rig.alerts.readBoard().rules[0]?.state.blindMinutes).toBe(0);
  });

  it('are not counted again while nothing is new', async () => {
    const rig = await open(
      { spans: [{ from: 0, to: 95 }], minutes: steady, checks: calm },
      { startMinute: 95 },
    );
    await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(95);
    expect(rig.alerts.readBoard().rules[0]?.state).toMatchObject({ blindMinutes: 0 });
    const { counted } = rig.source;
    await rig.at(99);
    expect(rig.source.counted).toBe(counted);
  });

  it.each([
    ['by rule', 'muted', (rig: AlertRig, id: string) => rig.alerts.mute(id, { untilMs: null })],
    [
      'by connection',
      'connection-muted',
      (rig: AlertRig) => rig.alerts.muteConnection('one', { untilMs: null }),
    ],
    [
      'for a time',
      'muted',
      (rig: AlertRig, id: string) => rig.alerts.mute(id, { untilMs: START_MS + 120 * MINUTE_MS }),
    ],
  ])('muted %s say nothing, and note why', async (_name, notice, mute) => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([100, 130]), checks: calm };
    const rig = await open(cache, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await mute(rig, id);
    for (let minute = 90; minute < 200; minute += 1) await rig.at(minute);
    // What was not told when it fired is not told when it ends.
    expect(rig.titles).toEqual([]);
    expect(kinds(rig, id).slice(1)).toEqual([`fired ${notice}`, 'ended untold']);
  });

  it('reach destinations also where this computer shows none, and not while they are muted', async () => {
    const sent: string[] = [];
    const options = {
      settings: { alertNotes: false, alertBadge: true },
      destinations: {
        isFor: () => true,
        note: (alerts: readonly { kind: string; name: string }[]) => {
          sent.push(...alerts.map(({ kind, name }) => `${kind} ${name}`));
          return Promise.resolve();
        },
        remind: (alerts: readonly { kind: string; name: string }[]) => {
          sent.push(...alerts.map(({ kind }) => kind));
          return Promise.resolve();
        },
      },
    };
    const rig = await open(
      { spans: [{ from: 0, to: 400 }], minutes: failing([30, 45], [230, 245]), checks: calm },
      options,
    );
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(20);
    for (let minute = 21; minute < 100; minute += 1) await rig.at(minute);
    expect(rig.titles).toEqual([]);
    expect(sent[0]).toBe('fired Errors');
    expect(sent.at(-1)).toBe('ended Errors');
    expect(new Set(sent.slice(1, -1))).toEqual(new Set(['reminder']));

    sent.length = 0;
    await rig.alerts.mute(id, { untilMs: null });
    for (let minute = 220; minute < 300; minute += 1) await rig.at(minute);
    expect(kinds(rig, id)).toContain('fired muted');
    expect(sent).toEqual([]);
  });

  it('many at once are one notification', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([80, 130]), checks: calm };
    const rig = await open(cache, { startMinute: 90 });
    for (let place = 0; place < 5; place += 1) {
      await rig.alerts.save(null, draftOf(`Rule ${place}`, errorShare()), 'hand');
    }
    await rig.at(100);
    expect(rig.titles).toEqual(['5 alerts']);
  });

  it('leave it to the page where the host can not, and believe what the page says', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([80, 130]), checks: calm };
    const rig = await open(cache, { startMinute: 90, shown: 'page' });
    const notes = collectNotes(rig);
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(100);
    expect(kinds(rig, id).at(-1)).toBe('fired no-window');
    expect(notes).toMatchObject([
      { title: 'Errors', body: 'Error share 60% for 10 minutes, 120 of 200 requests. Local service.' },
    ]);
    await rig.alerts.confirmNote(notes[0]?.id ?? '');
    expect(kinds(rig, id).at(-1)).toBe('fired browser');
  });

  it('one that the system refused after all counts as not shown, and the badge has the number from then on', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([80, 130]), checks: calm };
    const settings = { alertNotes: true, alertBadge: false };
    const rig = await open(cache, { startMinute: 90, settings });
    const refused: unknown[] = [];
    rig.events.on('alerts/refused', ({ ruleId }) => void refused.push(ruleId));
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(100);
    expect(kinds(rig, id).at(-1)).toBe('fired computer');
    expect(rig.badges.at(-1)).toBe(0);
    rig.refuse(0);
    await expect.poll(() => kinds(rig, id).at(-1)).toBe('fired failed');
    expect(refused).toEqual([id]);
    await expect.poll(() => rig.badges.at(-1)).toBe(1);
  });

  it('a click on a notification leads to its rule, once', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([80, 130]), checks: calm };
    const rig = await open(cache, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(100);
    expect(rig.alerts.takeOpened()).toBeNull();
    rig.open(0);
    expect(rig.alerts.takeOpened()).toMatchObject({ ruleId: id, connectionId: 'one' });
    expect(rig.alerts.takeOpened()).toBeNull();
  });

  it('another condition begins anew, and the log says what it was before', async () => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([80, 500]), checks: calm };
    const rig = await open(cache, { startMinute: 90 });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    await rig.at(100);
    await rig.alerts.save(id, draftOf('Errors', errorShare({ threshold: 0.9 })), 'hand');
    await rig.at(110);
    expect(rig.alerts.readBoard().rules[0]?.state.firingSinceMs).toBeNull();
    expect(rig.alerts.book.readLog(id).at(-1)).toMatchObject({
      kind: 'changed',
      before: { threshold: 0.05 },
      condition: { threshold: 0.9 },
    });
  });

  it('go with their connection', async () => {
    const rig = await open({ spans: [], minutes: steady, checks: calm });
    await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    rig.events.emit('connections/changed', []);
    await rig.at(1);
    expect(rig.alerts.readBoard().rules).toEqual([]);
    expect(JSON.parse(await readFile(join(folder, 'alerts.json'), 'utf8'))).toMatchObject({ rules: [] });
  });
});

describe('planned times', () => {
  /** From minute 100 to minute 160. */
  const plan = (alerts: 'left-out' | 'muted' | 'on', change: Partial<PlannedTime> = {}): ConnectionPlans => ({
    marks: [],
    times: [
      {
        id: 'a',
        name: 'Maintenance',
        kind: 'planned',
        zone: 'UTC',
        times: {
          repeats: 'dates',
          dates: [
            {
              from: toDayClock(START_MS + 100 * MINUTE_MS, 'UTC'),
              to: toDayClock(START_MS + 160 * MINUTE_MS, 'UTC'),
            },
          ],
        },
        leftOut: { findings: true, alerts, uptime: true },
        ...change,
      },
    ],
  });
  const run = async (plans: ConnectionPlans, until: number): Promise<[AlertRig, string]> => {
    const cache = { spans: [{ from: 0, to: 600 }], minutes: failing([110, until]), checks: calm };
    const rig = await open(cache, { startMinute: 90, plans });
    const { id } = await rig.alerts.save(null, draftOf('Errors', errorShare()), 'finding');
    for (let minute = 90; minute < 240; minute += 1) await rig.at(minute);
    return [rig, id];
  };

  it('muted: nobody is notified, and the log says why', async () => {
    const [rig, id] = await run(plan('muted'), 130);
    expect(rig.titles).toEqual([]);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired planned', 'ended untold']);
  });

  it('muted: what still goes on at the end is told then, once', async () => {
    const [rig, id] = await run(plan('muted'), 190);
    expect(rig.titles).toEqual(['Errors', 'Errors: ended']);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired planned', 'fired computer', 'ended computer']);
    expect(rig.alerts.book.readLog(id)[2]?.atMs).toBe(START_MS + 160 * MINUTE_MS);
  });

  it('left out: nothing fires in them', async () => {
    const [rig, id] = await run(plan('left-out'), 130);
    expect(kinds(rig, id)).toEqual(['made by-hand']);
  });

  it('of some channels leave a rule of all channels as it is', async () => {
    const [rig] = await run(plan('muted', { channels: [3] }), 130);
    expect(rig.titles).toEqual(['Errors', 'Errors: ended']);
  });
});
