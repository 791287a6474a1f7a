import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import {
  draftOf,
  errorShare,
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

async function open(
  cache: Partial<SimulatedCache>,
  options: Parameters<typeof openRig>[2] = {},
): Promise<AlertRig> {
  const spans = [{ from: 0, to: 100_000 }];
  const whole = { spans, minutes: steady, checks: () => 'up' as const, ...cache };
  const rig = await openRig(folder, whole, { startMinute: 90, ...options });
  rigs.push(rig);
  return rig;
}
const steady = (): TrafficMinute => ({ count: 20 });
const failing =
  (from: number, to: number, failures = 12) =>
  (minute: number): TrafficMinute => ({ count: 20, failures: minute >= from && minute < to ? failures : 0 });
const eachService = (change: object = {}) => errorShare({ each: 'service', ...change });
const kinds = (rig: AlertRig, ruleId: string): string[] =>
  rig.alerts.book
    .readLog(ruleId)
    .slice(1)
    .map(({ kind, value, level, notice }) => [kind, value, level, notice].filter(Boolean).join(' '));
const stateOf = (rig: AlertRig) => rig.alerts.readBoard().rules[0]?.state;
async function run(rig: AlertRig, from: number, to: number): Promise<void> {
  for (let minute = from; minute < to; minute += 1) await rig.at(minute);
}

describe('a rule that watches each service', () => {
  it('fires and ends for each by itself, and everything says for which', async () => {
    const sent: string[] = [];
    const destinations = {
      isFor: () => true,
      note: (alerts: readonly { kind: string; name: string; value?: unknown }[]) => {
        sent.push(...alerts.map(({ kind, name, value }) => `${kind} ${name} ${String(value)}`));
        return Promise.resolve();
      },
      remind: () => Promise.resolve(),
    };
    const services = { 2: steady, 5: failing(110, 140), 7: failing(100, 130) };
    const rig = await open({ services }, { destinations });
    const { id } = await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    await run(rig, 90, 120);
    expect(stateOf(rig)).toMatchObject({ firingSinceMs: expect.any(Number) as number });
    const states = stateOf(rig)?.values.map(({ value, firingSinceMs }) => [value, firingSinceMs !== null]);
    expect(states).toEqual([
      [5, true],
      [7, true],
      [2, false],
    ]);
    await run(rig, 120, 220);
    expect(rig.titles).toEqual([
      'Errors, service 7',
      'Errors, service 5',
      'Errors, service 7: ended',
      'Errors, service 5: ended',
    ]);
    expect(kinds(rig, id)).toEqual([
      'fired 7 computer',
      'fired 5 computer',
      'ended 7 computer',
      'ended 5 computer',
    ]);
    expect(sent).toEqual([
      'fired Errors, service 7 7',
      'fired Errors, service 5 5',
      'ended Errors, service 7 7',
      'ended Errors, service 5 5',
    ]);
  });

  it('goes on after a restart, value by value', async () => {
    const services = { 2: steady, 5: failing(110, 140), 7: failing(100, 130) };
    let rig = await open({ services });
    const { id } = await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    const titles: string[] = [];
    for (let minute = 90; minute < 220; minute += 1) {
      await rig.at(minute);
      if (minute % 7 !== 0) continue;
      titles.push(...rig.titles);
      await rig.alerts.stop();
      rig = await open({ services }, { startMinute: minute });
    }
    expect([...titles, ...rig.titles]).toHaveLength(4);
    expect(kinds(rig, id)).toHaveLength(4);
  });

  it('one muted value says nothing, the others do', async () => {
    const rig = await open({ services: { 5: failing(110, 140), 7: failing(100, 130) } });
    const { id } = await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    await rig.alerts.mute(id, { untilMs: null }, 7);
    await run(rig, 90, 125);
    expect(rig.titles).toEqual(['Errors, service 5']);
    expect(rig.alerts.readBoard().rules[0]?.rule.valueMutes).toMatchObject([{ value: 7 }]);
    await rig.alerts.mute(id, null, 7);
    expect(rig.alerts.readBoard().rules[0]?.rule.valueMutes).toBeUndefined();
    // The end of what was told of one value is told, and nothing of the other.
    await run(rig, 125, 220);
    expect(rig.titles).toEqual(['Errors, service 5', 'Errors, service 5: ended']);
    expect(kinds(rig, id)).toContain('fired 7 muted');
    expect(kinds(rig, id)).toContain('ended 7 untold');
  });

  it('what is not cached is known of no value', async () => {
    const spans = [{ from: 0, to: 95 }];
    const services = { 5: steady, 7: failing(100, 400) };
    const rig = await open({ spans, services });
    await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    await run(rig, 90, 130);
    expect(rig.titles).toEqual([]);
    expect(stateOf(rig)).toMatchObject({ blindMinutes: 34 });
    spans[0] = { from: 0, to: 130 };
    await rig.at(130);
    expect(rig.titles).toEqual(['Errors, service 7']);
  });

  it('where no value was ever seen, it is known that there is none', async () => {
    const rig = await open({ services: {} });
    await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    await run(rig, 90, 130);
    expect(stateOf(rig)).toMatchObject({ blindMinutes: 0, values: [] });
  });

  it('a value that is new is watched from its first request; one that vanished is dropped after 14 days', async () => {
    const fromMinute = (from: number, to: number) => (minute: number) => ({
      count: minute >= from && minute < to ? 20 : 0,
    });
    const services = { 2: steady, 5: fromMinute(0, 95), 7: fromMinute(120, 1e9) };
    const rig = await open({ services });
    await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    const values = () =>
      stateOf(rig)
        ?.values.map(({ value }) => value)
        .toSorted();
    await run(rig, 90, 100);
    expect(values()).toEqual([2, 5]);
    await run(rig, 100, 130);
    expect(values()).toEqual([2, 5, 7]);
    await rig.at(94 + 14 * 1440);
    expect(values()).toEqual([2, 5, 7]);
    await rig.at(96 + 14 * 1440);
    expect(values()).toEqual([2, 7]);
  });

  it('a value that falls silent fires, and stays until it is heard of again', async () => {
    const quiet = (minute: number): TrafficMinute => ({ count: minute < 100 || minute >= 40_000 ? 5 : 0 });
    const rig = await open({ services: { 2: steady, 5: quiet } });
    await rig.alerts.save(null, draftOf('Silent', { ...silence(30), each: 'service' } as never), 'hand');
    await run(rig, 90, 140);
    expect(rig.titles).toEqual(['Silent, service 5']);
    await rig.at(30_000);
    await rig.at(39_990);
    expect(stateOf(rig)?.values[0]).toMatchObject({ value: 5, firingSinceMs: expect.any(Number) as number });
    await run(rig, 40_000, 40_060);
    expect(rig.titles.at(-1)).toBe('Silent, service 5: ended');
  });

  it('watches 50 values, and says that there are more', async () => {
    const services = Object.fromEntries(Array.from({ length: 60 }, (_, place) => [place + 1, steady]));
    const rig = await open({ services });
    await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
    await run(rig, 90, 95);
    expect(stateOf(rig)?.values).toHaveLength(50);
    expect(stateOf(rig)?.hasMoreValues).toBe(true);
  });

  it('is refused where its requests lack the field', async () => {
    const rig = await open({});
    const condition = errorShare({ direction: 'inbound', each: 'actionId' });
    await expect(rig.alerts.save(null, draftOf('Never', condition), 'hand')).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
  });
});

describe('two thresholds', () => {
  const both = (change: object = {}) => errorShare({ threshold: 0.05, critical: 0.3, ...change });

  it('tell each rise and fall once, and the end once', async () => {
    const minutes = (minute: number): TrafficMinute => {
      if (minute >= 120 && minute < 150) return { count: 20, failures: 12 };
      return { count: 20, failures: minute >= 100 && minute < 200 ? 2 : 0 };
    };
    const rig = await open({ minutes });
    const { id } = await rig.alerts.save(null, draftOf('Errors', both()), 'hand');
    await run(rig, 90, 130);
    expect(stateOf(rig)).toMatchObject({ level: 'critical' });
    await run(rig, 130, 260);
    expect(rig.titles).toEqual([
      'Errors: warning',
      'Errors: critical',
      'Errors: back to warning',
      'Errors: ended',
    ]);
    expect(kinds(rig, id)).toEqual([
      'fired warning computer',
      'raised critical computer',
      'lowered warning computer',
      'ended warning computer',
    ]);
    const log = rig.alerts.book.readLog(id).slice(1);
    expect(new Set(log.map(({ sinceMs }) => sinceMs)).size).toBe(1);
  });

  it('one that hovers at the critical threshold rises once', async () => {
    const minutes = (minute: number): TrafficMinute => ({
      count: 20,
      failures: minute < 100 ? 0 : 6 + (minute % 2 === 0 ? 1 : -1) + (minute % 20 < 10 ? 1 : 0),
    });
    const rig = await open({ minutes });
    await rig.alerts.save(null, draftOf('Errors', both()), 'hand');
    await run(rig, 90, 300);
    expect(rig.titles).toEqual(['Errors: warning', 'Errors: critical']);
  });

  it('what came to the critical level at once is told once, and its end too', async () => {
    const spans = [{ from: 0, to: 95 }];
    const rig = await open({ spans, minutes: failing(100, 140, 20) });
    const { id } = await rig.alerts.save(null, draftOf('Errors', both()), 'hand');
    await run(rig, 90, 95);
    spans[0] = { from: 0, to: 130 };
    await rig.at(130);
    expect(rig.titles).toEqual(['Errors: critical']);
    expect(kinds(rig, id)).toEqual(['fired warning passed', 'raised critical computer']);
    spans[0] = { from: 0, to: 300 };
    await rig.at(180);
    expect(rig.titles).toEqual(['Errors: critical', 'Errors: ended']);
  });

  it('are refused where critical is no further than the warning', async () => {
    const rig = await open({});
    for (const condition of [
      both({ critical: 0.05 }),
      both({ comparison: 'below', threshold: 0.5, critical: 0.6 }),
    ]) {
      await expect(rig.alerts.save(null, draftOf('Never', condition), 'hand')).rejects.toMatchObject({
        code: 'app.invalid-input',
      });
    }
    await rig.alerts.save(
      null,
      draftOf('Few', both({ comparison: 'below', threshold: 0.5, critical: 0.2 })),
      'hand',
    );
  });
});

describe('a connection of which nothing new comes', () => {
  it.each([
    ['imported', { kind: 'imported' as const }],
    ['not-followed', { following: [{ connectionId: 'one', state: 'off' as const }] }],
    ['unreachable', { following: [{ connectionId: 'one', state: 'unreachable' as const }] }],
  ])('%s: its rules say that they rest', async (rests, options) => {
    const rig = await open({}, options);
    await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    expect(stateOf(rig)?.rests).toBe(rests);
  });

  it('no longer rests once it is followed, and the window hears of it', async () => {
    const following: { connectionId: string; state: 'off' | 'following' }[] = [
      { connectionId: 'one', state: 'off' },
    ];
    const rig = await open({}, { following });
    await rig.alerts.save(null, draftOf('Errors', errorShare()), 'hand');
    const shown: unknown[] = [];
    rig.events.on('alerts/changed', ({ rules }) => void shown.push(rules[0]?.state.rests));
    following[0] = { connectionId: 'one', state: 'following' };
    rig.events.emit('following/changed', {} as never);
    rig.events.emit('following/changed', {} as never);
    expect(shown).toEqual([null]);
  });
});

it('what fired last is known of the rule and of each value', async () => {
  const rig = await open({ services: { 2: steady, 7: failing(100, 110) } });
  await rig.alerts.save(null, draftOf('Errors', eachService()), 'hand');
  await run(rig, 90, 200);
  const last = stateOf(rig)?.values.find(({ value }) => value === 7)?.lastFiredMs;
  expect(last).toBeGreaterThan(START_MS + 100 * MINUTE_MS);
  expect(stateOf(rig)).toMatchObject({ firingSinceMs: null, lastFiredMs: last });
});
