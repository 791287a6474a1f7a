import { describe, expect, it } from 'vitest';
import {
  type ConnectionPlans,
  DEFAULT_LEFT_OUT,
  type PlannedTime,
} from '../../../../../src-main/common/model/connections/planned.ts';
import {
  type LevelOutage,
  type LevelReport,
  type ServiceLevel,
  toLevelFigures,
  toMonthSpan,
} from '../../../../../src-main/common/model/connections/service-level.ts';
import { WEEKDAYS } from '../../../../../src-main/common/model/schedules/schedule.ts';
import {
  measureLevel,
  type StatusPoint,
} from '../../../../../src-main/core/analysis/status/status-figures.ts';
import { readLevels } from '../../../../../src-main/core/service-levels/service-levels.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** Everything that is drawn is at a multiple of it, so that a walk in steps of it is exact. */
const STEP = 10_000;
const RUNS = Number(process.env['LEVEL_RUNS'] ?? 9);

const LEVEL: ServiceLevel = {
  id: 'a',
  name: 'Platform',
  part: 'platform',
  target: 99.5,
  zone: 'UTC',
  hours: [],
  leavesOutPlanned: true,
};

function toPoint(checkedAtMs: number, platform: StatusPoint['platform']): StatusPoint {
  const failure =
    platform === 'up' || platform === 'down' || platform === 'unknown' ? null : 'client.timeout';
  return { checkedAtMs, platform, connector: 'up', failure, internalResponseTimeMs: null };
}

/** Reads one target over points in memory. */
async function read(
  points: readonly StatusPoint[],
  {
    level,
    plans,
    month,
    nowMs,
  }: { level: ServiceLevel; plans?: ConnectionPlans; month: string | null; nowMs: number },
): Promise<LevelReport> {
  const [report] = await readLevels(
    {
      cache: {
        measureLevels: ({ levels }) =>
          Promise.resolve({
            measured: levels.map(({ part, agreed, fromMs, untilMs }) =>
              measureLevel(
                points.filter(({ checkedAtMs }) => checkedAtMs >= fromMs - 120_000 && checkedAtMs <= untilMs),
                part,
                agreed,
                untilMs,
              ),
            ),
            checkedSinceMs: points[0]?.checkedAtMs ?? null,
          }),
      },
      now: () => nowMs,
    },
    'one',
    { serviceLevels: [level], ...(plans === undefined ? {} : { plans }) },
    month,
  );
  return report!;
}

describe('a month of a service level', () => {
  const nowMs = Date.UTC(2026, 10, 27, 9, 12);
  const month = { month: '2026-11', nowMs };
  const everyMinute = (fromMs: number, toMs: number, toState: (atMs: number) => StatusPoint['platform']) =>
    Array.from({ length: (toMs - fromMs) / MINUTE }, (_, place) => {
      const atMs = fromMs + place * MINUTE;
      return toPoint(atMs, toState(atMs));
    });
  const start = Date.UTC(2026, 10, 1);
  const outage = (day: number, hour: number, minutes: number) => {
    const fromMs = Date.UTC(2026, 10, day, hour);
    return (atMs: number): boolean => atMs >= fromMs && atMs < fromMs + minutes * MINUTE;
  };

  it('so far names each outage, what was not watched and what is left, of the time of the whole month', async () => {
    const isDown = [outage(3, 4, 30), outage(12, 18, 8)];
    const isOff = outage(20, 0, 1_440);
    const points = everyMinute(start, nowMs, (atMs) =>
      isDown.some((one) => one(atMs)) ? 'down' : 'up',
    ).filter(({ checkedAtMs }) => !isOff(checkedAtMs));
    const report = await read(points, { level: LEVEL, ...month });
    // The last answer before the gap speaks for two minutes, one of them in it.
    expect(report).toMatchObject({
      isOver: false,
      state: 'met-so-far',
      agreedMs: 30 * DAY,
      downMs: 38 * MINUTE,
      unwatchedMs: DAY - MINUTE,
      outages: [
        { fromMs: Date.UTC(2026, 10, 3, 4), downMs: 30 * MINUTE, isOngoing: false },
        { fromMs: Date.UTC(2026, 10, 12, 18), downMs: 8 * MINUTE, isOngoing: false },
      ],
      gaps: [{ fromMs: Date.UTC(2026, 10, 20, 0, 1), toMs: Date.UTC(2026, 10, 21) }],
    });
    expect(toLevelFigures(report)).toMatchObject({
      share: 0.9989,
      leastShare: 0.9611,
      watchedShare: 0.96,
      usedMinutes: 38,
      budgetMinutes: 216,
      outageMinutes: [30, 8],
    });
  });

  it('planned times take their part of the budget with them, and what happens in them is nobody’s outage', async () => {
    const night: PlannedTime = {
      id: 'p',
      name: 'Maintenance',
      kind: 'planned',
      zone: 'UTC',
      times: { repeats: 'weekly', weekdays: ['thursday'], from: '21:00', minutes: 180 },
      leftOut: DEFAULT_LEFT_OUT.planned,
    };
    const plans = { times: [night], marks: [] };
    const points = everyMinute(start, nowMs, (atMs) => (outage(12, 20, 120)(atMs) ? 'down' : 'up'));
    const report = await read(points, { level: LEVEL, plans, ...month });
    expect(report).toMatchObject({
      plannedMs: 12 * 60 * MINUTE,
      agreedMs: 30 * DAY - 12 * 60 * MINUTE,
      downMs: 60 * MINUTE,
      outages: [{ fromMs: Date.UTC(2026, 10, 12, 20), toMs: Date.UTC(2026, 10, 12, 21) }],
    });
    expect(toLevelFigures(report)).toMatchObject({ usedMinutes: 60, budgetMinutes: 212 });
    // One channel's maintenance leaves the platform as it is, and an agreement may count all of it.
    const some = { ...plans, times: [{ ...night, channels: [1] }] };
    expect(await read(points, { level: LEVEL, plans: some, ...month })).toMatchObject({
      plannedMs: 0,
      downMs: 120 * MINUTE,
    });
    const strict = { ...LEVEL, leavesOutPlanned: false };
    expect(await read(points, { level: strict, plans, ...month })).toMatchObject({
      plannedMs: 0,
      downMs: 120 * MINUTE,
    });
  });

  it.each<[string, { down?: number; watched?: number; nowMs?: number }, LevelReport['state']]>([
    ['over, watched throughout', { down: 200 }, 'met'],
    ['over, more down than allowed', { down: 217 }, 'missed'],
    ['over, and more allowed than was not watched', { down: 100, watched: 30 * 1_440 - 100 }, 'met'],
    ['over, in half of it', { down: 100, watched: 15 * 1_440 }, 'met-watched'],
    ['over, in an hour of it', { down: 30, watched: 60 }, 'not-known'],
    ['over, never watched', { watched: 0 }, 'not-known'],
    ['going on, more down than the whole month may have', { down: 217, nowMs }, 'missed'],
    ['going on, most of the budget used', { down: 180, nowMs }, 'at-risk'],
    ['going on, little used', { down: 100, nowMs }, 'met-so-far'],
    ['going on, below the target so far', { down: 100, nowMs: start + 5 * DAY }, 'at-risk'],
    ['not begun', { nowMs: start - DAY }, 'not-known'],
  ])('%s', async (_, { down = 0, watched = 30 * 1_440, nowMs: at = start + 40 * DAY }, state) => {
    const end = Math.min(at, start + watched * MINUTE);
    const points =
      end <= start ? [] : everyMinute(start, end, (atMs) => (outage(1, 0, down)(atMs) ? 'down' : 'up'));
    // The last answer speaks a minute longer than it is watched here.
    if (points.length > 0) points.push(toPoint(end, 'not-checked'));
    expect((await read(points, { level: LEVEL, month: '2026-11', nowMs: at })).state).toBe(state);
  });

  it('never reads as more than it is: no 100 % with a second down, no target reached by rounding', async () => {
    const points = [...everyMinute(start, nowMs, () => 'up'), toPoint(nowMs - 1_000, 'down')];
    const report = await read(points, { level: { ...LEVEL, target: 99.999 }, ...month });
    expect(report.outages).toEqual([{ fromMs: nowMs - 1_000, toMs: nowMs, downMs: 1_000, isOngoing: true }]);
    expect(toLevelFigures(report)).toMatchObject({
      share: 0.99999,
      digits: 3,
      usedMinutes: 1,
      budgetMinutes: 0.4,
    });
  });

  it('the present month is that of the clock of the agreement', async () => {
    const level = { ...LEVEL, zone: 'Pacific/Auckland' };
    const report = await read([], { level, month: null, nowMs: Date.UTC(2026, 10, 30, 12) });
    expect(report).toMatchObject({ month: '2026-12', isOver: false, dueMs: 60 * MINUTE });
  });
});

/** Numbers of [0, 1) that a seed decides. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a walk through every ten seconds of a month', () => {
  const MONTHS = [
    ['Europe/Madrid', '2026-03'],
    ['Europe/Madrid', '2026-10'],
    ['America/New_York', '2026-11'],
    ['Australia/Lord_Howe', '2026-10'],
    ['Australia/Lord_Howe', '2026-04'],
    ['America/Santiago', '2026-09'],
    ['Africa/Cairo', '2026-04'],
    ['Asia/Kathmandu', '2026-02'],
    ['UTC', '2024-02'],
  ] as const;

  it.each(Array.from({ length: RUNS }, (_, run) => run + 1))(
    'finds the same as the product, run %d',
    async (run) => {
      const random = createRandom(run * 7_919);
      const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)]!;
      const [zone, month] = MONTHS[(run - 1) % MONTHS.length]!;
      const clock = () =>
        `${String(Math.floor(random() * 24)).padStart(2, '0')}:${pick(['00', '15', '30', '45'])}`;
      const hours = Array.from({ length: Math.floor(random() * 4) }, () => ({
        weekdays: WEEKDAYS.filter(() => random() < 0.6),
        from: clock(),
        to: random() < 0.2 ? '24:00' : clock(),
      })).filter(({ weekdays, from, to }) => weekdays.length > 0 && from !== to);
      const level: ServiceLevel = { ...LEVEL, zone, hours, target: pick([99, 99.5, 99.95]) };
      const planned: PlannedTime[] = [
        // By the clock of the zone, at hours in which no clock is moved.
        {
          id: '1',
          name: 'Weekly',
          kind: 'planned',
          zone,
          leftOut: DEFAULT_LEFT_OUT.planned,
          times: { repeats: 'weekly', weekdays: [pick(WEEKDAYS), 'sunday'], from: '10:30', minutes: 150 },
        },
        {
          id: '2',
          name: 'Once',
          kind: 'planned',
          zone: 'UTC',
          leftOut: DEFAULT_LEFT_OUT.planned,
          times: { repeats: 'dates', dates: [{ from: `${month}-07T22:13`, to: `${month}-09T03:41` }] },
        },
      ];
      const plans = { times: planned, marks: [] };

      const span = toMonthSpan(month, zone);
      const nowMs = random() < 0.5 ? span.toMs + DAY : span.fromMs + Math.floor(random() * 240_000) * STEP;
      const points: StatusPoint[] = [];
      let state: StatusPoint['platform'] = 'up';
      for (let atMs = span.fromMs - DAY; atMs < Math.min(nowMs, span.toMs + DAY);) {
        if (random() < 0.02) state = pick(['up', 'up', 'down', 'unreachable', 'unknown', 'not-checked']);
        points.push(toPoint(atMs, state));
        // Sometimes nothing is checked for hours.
        atMs +=
          STEP * (random() < 0.002 ? 200 + Math.floor(random() * 2_000) : pick([1, 3, 3, 6, 11, 12, 13, 30]));
      }
      const report = await read(points, { level, plans, month, nowMs });
      const walked = walk({ points, level, planned, month, nowMs });
      expect({ ...report, gaps: report.gaps.length }).toMatchObject(walked);
      expect(report.gapCount).toBe(walked.gaps);
      expect(report.outages.reduce((sum, one) => sum + one.downMs, 0)).toBe(report.downMs);
    },
  );

  /** The definition, step by step: no spans, nothing joined. */
  function walk({
    points,
    level,
    planned,
    month,
    nowMs,
  }: {
    points: readonly StatusPoint[];
    level: ServiceLevel;
    planned: readonly PlannedTime[];
    month: string;
    nowMs: number;
  }) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: level.zone,
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    const shown = (atMs: number) => {
      const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
      const place = WEEKDAYS.findIndex((day) => day === parts.get('weekday')!.toLowerCase());
      return {
        month: `${parts.get('year')}-${parts.get('month')}`,
        place,
        minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
      };
    };
    const toMinute = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
    const isIn = (
      weekdays: readonly string[],
      from: number,
      to: number,
      at: { place: number; minute: number },
    ) => {
      const begins = weekdays.includes(WEEKDAYS[at.place]!);
      const began = weekdays.includes(WEEKDAYS[(at.place + 6) % 7]!);
      return to > from
        ? begins && at.minute >= from && at.minute < to
        : (begins && at.minute >= from) || (began && at.minute < to);
    };
    const [year = 0, number = 1] = month.split('-').map(Number);
    const found = { serviceMs: 0, plannedMs: 0, agreedMs: 0, dueMs: 0, upMs: 0, downMs: 0, unwatchedMs: 0 };
    const outages: LevelOutage[] = [];
    let gaps = 0;
    let [gapEndMs, isOpen, next] = [-1, false, 0];
    for (
      let minuteMs = Date.UTC(year, number - 1, 0);
      minuteMs < Date.UTC(year, number, 2);
      minuteMs += MINUTE
    ) {
      const at = shown(minuteMs);
      const isMonth = at.month === month;
      const isService =
        isMonth &&
        (level.hours.length === 0 ||
          level.hours.some(({ weekdays, from, to }) => isIn(weekdays, toMinute(from), toMinute(to), at)));
      const isPlanned = planned.some(({ times }) =>
        times.repeats === 'weekly'
          ? isIn(times.weekdays, 630, 780, at)
          : times.repeats === 'dates' &&
            times.dates.some(
              ({ from, to }) => minuteMs >= Date.parse(`${from}Z`) && minuteMs < Date.parse(`${to}Z`),
            ),
      );
      const isAgreed = isService && !isPlanned;
      if (isService) found.serviceMs += MINUTE;
      if (isService && isPlanned) found.plannedMs += MINUTE;
      if (isAgreed) found.agreedMs += MINUTE;
      for (let atMs = minuteMs; atMs < minuteMs + MINUTE; atMs += STEP) {
        while ((points[next]?.checkedAtMs ?? Infinity) <= atMs) next += 1;
        const point = points[next - 1];
        const isKnown =
          isMonth && atMs < nowMs && point?.failure === null && atMs - point.checkedAtMs < 120_000;
        const state = isKnown ? point.platform : null;
        if (state === 'up') isOpen = false;
        if (!isAgreed || atMs >= nowMs) continue;
        found.dueMs += STEP;
        if (state === 'up') found.upMs += STEP;
        else if (state === 'down') {
          found.downMs += STEP;
          const last = outages.at(-1);
          if (isOpen && last !== undefined && atMs - last.toMs <= 15 * MINUTE)
            outages[outages.length - 1] = { ...last, toMs: atMs + STEP, downMs: last.downMs + STEP };
          else outages.push({ fromMs: atMs, toMs: atMs + STEP, downMs: STEP, isOngoing: false });
          isOpen = true;
        } else {
          found.unwatchedMs += STEP;
          if (gapEndMs !== atMs) gaps += 1;
          gapEndMs = atMs + STEP;
        }
      }
    }
    const end = outages.at(-1);
    const isOngoing = end?.toMs === nowMs;
    return {
      ...found,
      outages: outages.map((outage) => (outage === end ? { ...outage, isOngoing } : outage)),
      gaps,
    };
  }
});
