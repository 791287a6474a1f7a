import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AlertCondition } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type { Finding } from '../../../../src-main/common/model/analysis/finding.ts';
import { type ConnectionPlans, toDayClock } from '../../../../src-main/common/model/connections/planned.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import { isAlertPlanned } from '../../../../src-main/core/alerts/judge-rules.ts';
import { testRule } from '../../../../src-main/core/alerts/test-rule.ts';
import type { OutgoingAlert } from '../../../../src-main/core/destinations/create-destinations.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { draftOf, openRig, START_MS, type AlertRig, type SimulatedCache } from './alert-rig.ts';

let folder: string;
const rigs: AlertRig[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-alerts-'));
});
afterEach(async () => {
  for (const { alerts } of rigs.splice(0)) await alerts.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const anyFinding = (change: object = {}): AlertCondition => ({
  kind: 'finding',
  channel: null,
  service: null,
  isFailuresOnly: false,
  ...change,
});
const at = (minute: number): number => START_MS + minute * MINUTE_MS;
/** A finding that is told from one minute after its onset, until so long after its end. */
interface Told extends Partial<Omit<Finding, 'sinceMs' | 'endedMs'>> {
  readonly from: number;
  readonly to: number;
  readonly isGoneAt?: number;
}
const tell =
  (...told: readonly Told[]) =>
  (minute: number) => {
    const shown = told
      .filter(({ from, isGoneAt = Infinity }) => minute > from && minute < isGoneAt)
      .map(({ from, to, ...own }) =>
        makeFinding({
          id: `own ${from}`,
          ...own,
          sinceMs: at(from),
          endedMs: minute >= to ? at(to) : null,
          untilMs: at(minute),
        }),
      );
    return {
      findings: shown.filter(({ endedMs }) => endedMs === null),
      resolved: shown.filter(({ endedMs }) => endedMs !== null),
    };
  };
const cacheOf = (findings: SimulatedCache['findings']): SimulatedCache => ({
  spans: [{ from: 0, to: 6000 }],
  minutes: () => ({ count: 20 }),
  checks: () => 'up',
  ...(findings === undefined ? {} : { findings }),
});
async function open(
  findings: SimulatedCache['findings'],
  options: Parameters<typeof openRig>[2] = {},
): Promise<AlertRig> {
  const rig = await openRig(folder, cacheOf(findings), options);
  rigs.push(rig);
  return rig;
}
const kinds = (rig: AlertRig, ruleId: string): string[] =>
  rig.alerts.book.readLog(ruleId).map(({ kind, notice }) => `${kind} ${notice}`);
async function pass(rig: AlertRig, from: number, to: number): Promise<void> {
  for (let minute = from; minute <= to; minute += 1) await rig.at(minute);
}

describe('a rule on findings', () => {
  it('fires once when one begins, ends with it, and says which, where and since when', async () => {
    const outgoing: OutgoingAlert[] = [];
    const rig = await open(tell({ from: 120, to: 150 }), {
      startMinute: 100,
      destinations: {
        isFor: () => true,
        note: (alerts) => Promise.resolve(void outgoing.push(...alerts)),
        remind: () => Promise.resolve(),
      },
    });
    const { id } = await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
    await pass(rig, 100, 130);
    expect(rig.alerts.readBoard().rules[0]?.state).toMatchObject({ firingSinceMs: at(120), values: [] });
    await pass(rig, 131, 200);
    expect(rig.titles).toEqual([
      'Findings, Channel 3 / Service 7: errors 45×',
      'Findings, Channel 3 / Service 7: errors 45×: ended',
    ]);
    expect(rig.bodies[0]).toBe(
      '412 of 655 failed, 62.9%; usually 1.4% · 231 sessions, 208 clients. Since 1 Oct 02:00 (UTC), inbound. Local service.',
    );
    expect(rig.bodies[1]).toBe('It lasted 30 min. Since 1 Oct 02:00 (UTC), inbound. Local service.');
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired computer', 'ended computer']);
    expect(outgoing).toMatchObject([
      { kind: 'fired', value: 'own 120', sinceMs: at(120), name: rig.titles[0] },
      { kind: 'ended', value: 'own 120', sinceMs: at(120), atMs: at(150) },
    ]);
    // Nothing of the contents of records is kept or sent.
    expect(JSON.stringify([outgoing, rig.alerts.book.readLog(id)])).not.toContain('Gateway timeout');
    rig.open(0);
    expect(rig.alerts.takeOpened()).toMatchObject({ finding: { id: 'own 120', sinceMs: at(120) } });
  });

  it('says nothing of what was there when it was made, nor of what was over when it was seen', async () => {
    const there = tell({ from: 10, to: 300 }, { from: 20, to: 80, channel: 1 });
    const rig = await open(there, { startMinute: 100 });
    const { id } = await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
    await pass(rig, 100, 110);
    expect(rig.titles).toEqual([]);
    await pass(rig, 290, 320);
    expect(kinds(rig, id)).toEqual(['made by-hand']);

    const slept = await open(tell({ from: 1000, to: 1100 }), { startMinute: 900 });
    const other = await slept.alerts.save(null, draftOf('Others', anyFinding()), 'hand');
    await slept.at(900);
    await slept.at(1500);
    expect(slept.titles).toEqual([]);
    expect(kinds(slept, other.id)).toEqual(['made by-hand', 'fired over', 'ended untold']);
  });

  it('is kept to a place, with what is of more than that place, and to failures', async () => {
    const findings = tell(
      { from: 110, to: 400, channel: 1, service: 2 },
      { from: 130, to: 400, channel: null, service: null },
      { from: 150, to: 400, channel: 3, service: 9 },
      { from: 170, to: 400, channel: 3, service: 8, kind: 'volume-up', recent: 80, usual: 10 },
    );
    const rig = await open(findings, { startMinute: 100 });
    const placed = await rig.alerts.save(null, draftOf('Placed', anyFinding({ channel: 3 })), 'hand');
    const failures = await rig.alerts.save(
      null,
      draftOf('Failures', anyFinding({ channel: 3, isFailuresOnly: true })),
      'hand',
    );
    await pass(rig, 100, 200);
    const places = (ruleId: string): unknown[] =>
      rig.alerts.book
        .readLog(ruleId)
        .flatMap(({ finding }): unknown[] => (finding === undefined ? [] : [finding.service ?? 'all']));
    expect(places(placed.id)).toEqual(['all', 9, 8]);
    expect(places(failures.id)).toEqual(['all', 9]);
  });

  it('fires once where more records show it earlier and wider, where it is told no more for a while, and after a restart', async () => {
    const early = tell({ from: 120, to: 400 });
    const moved = tell({ from: 113, to: 400, service: null });
    const rig = await open(
      (minute) => {
        // At the edge of what is unusual it is not always told.
        if (minute > 150 && minute < 158) return { findings: [], resolved: [] };
        return minute < 140 ? early(minute) : moved(minute);
      },
      { startMinute: 100 },
    );
    const { id } = await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
    await pass(rig, 100, 170);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired computer']);
    await rig.alerts.stop();

    const again = await open(moved, { startMinute: 180 });
    await pass(again, 180, 190);
    expect(again.titles).toEqual([]);
    await pass(again, 399, 420);
    expect(kinds(again, id)).toEqual(['made by-hand', 'fired computer', 'ended computer']);
    expect(again.alerts.book.readLog(id).at(-1)).toMatchObject({ sinceMs: at(120), atMs: at(400) });
  });

  it('ends once it was told no more for ten minutes, and at once where a person dismissed it', async () => {
    const rig = await open(tell({ from: 120, to: 900, isGoneAt: 140 }), { startMinute: 100 });
    const { id } = await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
    await pass(rig, 100, 148);
    expect(kinds(rig, id)).toEqual(['made by-hand', 'fired computer']);
    await pass(rig, 149, 160);
    expect(rig.alerts.book.readLog(id).at(-1)).toMatchObject({ kind: 'ended', atMs: at(139) });

    const { id: noted, kind, part, channel, service, sinceMs } = makeFinding({ sinceMs: at(1120) });
    const note = { id: noted, kind, part, channel, service, sinceMs };
    const incidents = [{ ...note, name: '', note: '', isDismissed: false, group: null }];
    const other = await open(tell({ from: 1120, to: 1900, isGoneAt: 1140 }), {
      startMinute: 1100,
      incidents,
    });
    await pass(other, 1100, 1139);
    expect(kinds(other, id).at(-1)).toBe('fired computer');
    incidents[0] = { ...note, name: '', note: '', isDismissed: true, group: null };
    await other.at(1140);
    expect(kinds(other, id).at(-1)).toBe('ended computer');
  });

  it('notifies nobody in a planned time of its place, and afterwards of what goes on', async () => {
    const findings = tell({ from: 120, to: 300 }, { from: 130, to: 140, channel: 3, service: 9 });
    const plan = (alerts: 'left-out' | 'muted', channels: number[]): ConnectionPlans => {
      const dates = [{ from: toDayClock(at(110), 'UTC'), to: toDayClock(at(200), 'UTC') }];
      const leftOut = { findings: false, alerts, uptime: true };
      const times = { repeats: 'dates' as const, dates };
      const own = { id: 'plan', name: 'Maintenance', kind: 'planned' as const, zone: 'UTC' };
      return { times: [{ ...own, times, leftOut, channels }], marks: [] };
    };
    const rig = await open(findings, { startMinute: 100, plans: plan('muted', [3]) });
    const { id } = await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
    await pass(rig, 100, 199);
    expect(rig.titles).toEqual([]);
    await pass(rig, 200, 210);
    expect(rig.titles).toHaveLength(1);
    expect(kinds(rig, id)).toEqual([
      'made by-hand',
      'fired planned',
      'fired planned',
      'ended untold',
      'fired computer',
    ]);
    await rig.alerts.remove(id);

    const other = await open(findings, { startMinute: 100, plans: plan('muted', [4]) });
    await other.alerts.save(null, draftOf('Elsewhere', anyFinding()), 'hand');
    await pass(other, 100, 125);
    expect(other.titles).toHaveLength(1);

    for (const { rule } of other.alerts.readBoard().rules) await other.alerts.remove(rule.id);
    const out = await open(findings, { startMinute: 100, plans: plan('left-out', [3]) });
    const left = await out.alerts.save(null, draftOf('Left out', anyFinding()), 'hand');
    await pass(out, 100, 199);
    expect(kinds(out, left.id)).toEqual(['made by-hand']);
    await pass(out, 200, 205);
    expect(kinds(out, left.id)).toEqual(['made by-hand', 'fired computer']);
  });

  it("can't tell where nothing is cached, or what is usual was not learned, and then doesn't begin", async () => {
    const gap = { direction: 'inbound' as const, reason: 'not-learned' as const, fromMs: 0, toMs: at(100) };
    const told = tell({ from: 20, to: 900 });
    const rig = await open(
      (minute) =>
        minute < 100
          ? { findings: [], resolved: [], untilMs: null, gaps: [] }
          : { ...told(minute), gaps: minute < 110 ? [gap] : [] },
      { startMinute: 90 },
    );
    await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
    await pass(rig, 90, 95);
    expect(rig.alerts.readBoard().rules[0]?.state.judgedToMs).toBeNull();
    await pass(rig, 100, 105);
    expect(rig.alerts.readBoard().rules[0]?.state.blindMinutes).toBe(60);
    await pass(rig, 110, 112);
    expect(rig.alerts.readBoard().rules[0]?.state.blindMinutes).toBe(0);
    expect(rig.titles).toEqual([]);
  });
});

it('what was noted of a finding is held in planned times of its place only', async () => {
  const rig = await open(tell({ from: 120, to: 400 }), { startMinute: 100 });
  const { id: ruleId } = await rig.alerts.save(null, draftOf('Findings', anyFinding()), 'hand');
  await pass(rig, 100, 125);
  const isHeld = (channels: number[], minute: number, value = 'own 120'): boolean => {
    const dates = [{ from: toDayClock(at(130), 'UTC'), to: toDayClock(at(160), 'UTC') }];
    const times = { repeats: 'dates' as const, dates };
    const leftOut = { findings: false, alerts: 'muted' as const, uptime: true };
    const own = { id: 'plan', name: 'Maintenance', kind: 'planned' as const, zone: 'UTC' };
    const plans = { marks: [], times: [{ ...own, times, leftOut, channels }] };
    const connections = { listSaved: () => [{ id: 'one', plans }] as never };
    return isAlertPlanned({ book: rig.book, connections, now: () => at(minute) }, { ruleId, value });
  };
  expect([129, 130, 159, 160].map((minute) => isHeld([3], minute))).toEqual([false, true, true, false]);
  expect(isHeld([4], 140)).toBe(false);
  // Of which place one is that nobody remembers isn't known.
  expect(isHeld([3], 140, 'another')).toBe(false);
});

it('the past of a rule on findings is what stood out in it', async () => {
  const rig = await open(undefined);
  const nowMs = at(5900);
  const own = [
    makeFinding({ id: 'one', sinceMs: at(5000), endedMs: at(5050) }),
    makeFinding({ id: 'two', sinceMs: at(5850), endedMs: null, untilMs: nowMs }),
    makeFinding({ id: 'elsewhere', channel: 9, sinceMs: at(5100), endedMs: at(5130) }),
  ];
  const report = { findings: own.slice(1, 2), resolved: [own[0], own[2]], gaps: [], untilMs: nowMs };
  const test = (change: object = {}) =>
    testRule(
      {
        ...rig.source,
        readFindingsOf: () => Promise.resolve({ ...report, ...change }),
      } as never,
      'one',
      anyFinding({ channel: 3 }),
      { nowMs, connection: { name: 'Local', valueNames: [], zone: 'UTC' }, words: ENGLISH },
    );
  const tested = await test();
  expect(tested.firings).toMatchObject([
    { value: 'one', sinceMs: at(5000), untilMs: at(5050), finding: { service: 7 } },
    { value: 'two', sinceMs: at(5850), untilMs: null },
  ]);
  expect(tested.notes.map(({ kind, value }) => [kind, value])).toEqual([
    ['fired', 'two'],
    ['ended', 'one'],
  ]);
  expect(tested.series.filter(({ value }) => value === 1)).toHaveLength(2);
  // Only inbound is cached here: that nothing stood out is not known.
  expect(tested.unknown.at(-1)?.toMs).toBe(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS);
  const unlearned = await test({
    gaps: [{ direction: 'inbound', reason: 'not-learned', fromMs: 0, toMs: 1 }],
  });
  expect(unlearned.knownMinutes).toBe(0);
});
