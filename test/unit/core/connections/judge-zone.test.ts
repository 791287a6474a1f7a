import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findNewest,
  judgeZone,
  type ZoneObservation,
} from '../../../../src-main/core/connections/connections-handlers.ts';
import { toOffsetMs } from '../../../../src-main/common/time/civil-time.ts';

const minuteMs = 60_000;
const nowMs = Date.UTC(2026, 10, 20, 10, 15);

/** What is seen of a service whose newest record is `ageMs` old and whose clock is in `truth`. */
function observe(truth: string, zone: string, change: Partial<ZoneObservation> & { ageMs?: number } = {}) {
  const { ageMs = minuteMs, ...rest } = change;
  const at = rest.nowMs ?? nowMs;
  return judgeZone({
    zone,
    newestCivilMs: at - ageMs + toOffsetMs(at, truth),
    newestInstantMs: null,
    countBefore: 200,
    nowMs: at,
    isServiceClock: true,
    ...rest,
  });
}

describe('the zone of a service with traffic', () => {
  it.each([
    'UTC',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Pacific/Chatham',
    'Etc/GMT+12',
  ])('%s fits itself', (zone) => {
    expect(observe(zone, zone)).toMatchObject({ verdict: 'fits', proposedZone: null });
  });

  it.each([
    ['Asia/Kathmandu', 'UTC', 'wrong', '+05:45'],
    ['Australia/Lord_Howe', 'UTC', 'wrong', '+11:00'],
    ['Australia/Eucla', 'Australia/Perth', 'wrong', '+08:45'],
    ['Pacific/Chatham', 'Pacific/Auckland', 'wrong', '+13:45'],
    ['UTC', 'America/New_York', 'wrong', 'UTC'],
    ['UTC', 'Asia/Kathmandu', 'likely-wrong', 'UTC'],
    ['America/St_Johns', 'UTC', 'likely-wrong', '-03:30'],
    ['America/New_York', 'UTC', 'likely-wrong', '-05:00'],
    ['Pacific/Marquesas', 'Asia/Tokyo', 'likely-wrong', '-09:30'],
  ])('%s is distinguished from %s', (truth, zone, verdict, proposedZone) => {
    expect(observe(truth, zone)).toMatchObject({ verdict, proposedZone });
  });

  it.each([
    ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 30), '+02:00'],
    ['Europe/Berlin', Date.UTC(2026, 9, 25, 1, 30), '+01:00'],
    ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 14, 30), '+11:00'],
    ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15, 30), '+10:30'],
  ])('%s is proposed as its clock stands at %i', (truth, at, proposedZone) => {
    expect(observe(truth, 'Etc/GMT+12', { nowMs: at })).toMatchObject({ verdict: 'wrong', proposedZone });
    expect(observe(truth, truth, { nowMs: at })).toMatchObject({ verdict: 'fits' });
  });

  it('is proposed rightly for every offset in use, whatever the connection says', () => {
    const offsets = [
      '-09:30',
      '-03:30',
      'UTC',
      '+03:30',
      '+04:30',
      '+05:30',
      '+05:45',
      '+06:30',
      '+10:30',
      '+12:45',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...offsets),
        fc.constantFrom(...offsets),
        fc.integer({ min: 0, max: 10 * minuteMs }),
        (truth, zone, ageMs) => {
          const { verdict, proposedZone } = observe(truth, zone, { ageMs });
          if (truth === zone) expect(verdict).toBe('fits');
          else expect(proposedZone).toBe(truth);
        },
      ),
    );
  });
});

describe('what can not be known', () => {
  it('a quiet service, from one whose clock is behind', () => {
    const finding = observe('UTC', 'UTC', { ageMs: 180 * minuteMs, countBefore: 3 });
    expect(finding).toMatchObject({ verdict: 'unsure', proposedZone: null });
    expect(finding.evidence.at(-1)).toEqual({ code: 'quiet', values: { minutes: 180, count: 3 } });
  });

  it('is said where only the clock of this computer was there to compare with', () => {
    expect(observe('UTC', 'UTC', { isServiceClock: false }).evidence).toContainEqual({
      code: 'own-clock',
      values: {},
    });
  });
});

describe('dates that name their own zone', () => {
  const civilMs = nowMs - 180 * minuteMs + 345 * minuteMs;
  const quiet = { newestCivilMs: civilMs, countBefore: 0 };

  it('show the offset even of a quiet service', () => {
    const finding = observe('UTC', 'UTC', { ...quiet, newestInstantMs: nowMs - 180 * minuteMs + 20_000 });
    expect(finding).toMatchObject({ verdict: 'wrong', proposedZone: '+05:45' });
  });

  it('are not believed when they lie ahead of their time', () => {
    const finding = observe('UTC', 'UTC', { ...quiet, newestInstantMs: civilMs });
    expect(finding).toMatchObject({ verdict: 'wrong' });
    expect(finding.evidence.at(-1)?.code).toBe('in-future');
  });
});

describe('finding the newest minute', () => {
  it('takes few questions, and is right for any place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 27 * 60 - 1 }), async (minute) => {
        let questions = 0;
        const newest = await findNewest(
          (fromMs) => {
            questions += 1;
            return Promise.resolve(fromMs <= minute * minuteMs + 30_000);
          },
          0,
          27 * 60 * minuteMs,
        );
        expect(newest).toBe(minute * minuteMs);
        expect(questions).toBeLessThanOrEqual(12);
      }),
    );
  });

  it('says when there is nothing at all', async () => {
    expect(await findNewest(() => Promise.resolve(false), 0, minuteMs)).toBeNull();
  });
});
