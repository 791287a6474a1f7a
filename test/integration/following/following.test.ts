import { afterEach, describe, expect, it } from 'vitest';
import { DETAIL_KINDS } from '../../../src-main/common/reporting/reports.ts';
import { createFollowingRig, type FollowingRigOptions } from '../../support/following/following-rig.ts';

const BEFORE_MIDNIGHT = Date.UTC(2026, 2, 10, 23, 20);
const MINUTE_MS = 60_000;

let rig: Awaited<ReturnType<typeof createFollowingRig>>;
const start = async (change: Partial<FollowingRigOptions> = {}): Promise<void> => {
  rig = await createFollowingRig({
    startMs: BEFORE_MIDNIGHT,
    recordsPerSecond: 1,
    lateShare: 0.05,
    ...change,
  });
};
afterEach(() => rig.stop());

const readState = () => rig.following.list()[0];
const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response('{}', { status, headers });

describe('following', () => {
  it(
    'brings every settled minute, over faults, late records, a restart, a sleep and midnight',
    { tags: 'long', timeout: 120_000 },
    async () => {
      await start();
      await rig.pass(12, 20_000);
      rig.network.answer = () =>
        Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }));
      await rig.pass(3);
      expect(readState()?.failure).not.toBeNull();
      let calls = 0;
      rig.network.answer = (address) => {
        calls += 1;
        if (!address.includes('ExecuteReport')) return undefined;
        return calls % 3 === 0 ? new Response('{"documents": [{', { status: 200 }) : undefined;
      };
      await rig.pass(8, 20_000);
      rig.network.answer = null;
      await rig.sleep(20);
      await rig.pass(6, 20_000);
      await rig.close();
      await rig.sleep(15);
      await rig.open();
      await rig.pass(40, 30_000);
      expect(readState()).toMatchObject({ state: 'following', failure: null, behindMs: 0 });
      for (const report of DETAIL_KINDS) {
        const { served, cached, settledToMs } = await rig.readSettled(report);
        expect(rig.now() - settledToMs).toBeLessThan(17 * MINUTE_MS);
        expect(served.length).toBeGreaterThan(4_000);
        expect(cached).toEqual(served);
      }
      const days = await rig.cache.listSnapshots('one');
      expect(
        days.map(({ report, state, stillOpen, remarks }) => ({ report, state, stillOpen, remarks })),
      ).toEqual(
        expect.arrayContaining([
          { report: 'inbound-detail', state: 'complete', stillOpen: false, remarks: [] },
        ]),
      );
      expect(days).toHaveLength(4);
    },
  );

  it('leaves out what downloads hold and is settled, and still finds what arrives late', async () => {
    const midnight = Date.UTC(2026, 2, 10);
    await start({
      startMs: midnight + 9 * 60 * MINUTE_MS,
      recordsPerSecond: 0.2,
      change: { followed: false },
    });
    await rig.sleep(60);
    const download = async (): Promise<void> => {
      await rig.download({ fromMs: midnight, toMs: rig.now() });
      rig.network.calls.length = 0;
    };
    /** The minutes of the day that are asked for in the next minutes, the first of each request. */
    const listAsked = async (minutes: number): Promise<number[]> => {
      await rig.pass(minutes, 60_000);
      return rig.network.calls.map(({ startDate }) => (Date.parse(`${startDate}Z`) - midnight) / MINUTE_MS);
    };
    const isEverythingThere = async (): Promise<void> => {
      for (const report of DETAIL_KINDS) {
        const { served, cached, settledToMs } = await rig.readSettled(report);
        expect(rig.now() - settledToMs).toBeLessThan(17 * MINUTE_MS);
        expect(cached).toEqual(served);
      }
    };

    // Begins where what is settled of the download ends: its look-back of 10 minutes, and the second before.
    await download();
    rig.save({ followed: true, followedSinceMs: rig.now() });
    expect(Math.min(...(await listAsked(2)))).toBeCloseTo(600 - 10, 1);
    await rig.pass(18, 60_000);
    await isEverythingThere();
    await isEverythingThere();

    // After a gap, it goes on behind the download that closes it.
    await rig.sleep(180);
    await download();
    const asked = await listAsked(20);
    expect(asked.filter((minute) => minute > 620 && minute < 790 - 0.1)).toEqual([]);
    await isEverythingThere();

    // A day that was downloaded to its end is not opened again.
    await rig.sleep(14 * 60);
    await download();
    const next = await listAsked(20);
    expect(next.filter((minute) => minute > 820 && minute < 1650 - 10.1)).toEqual([]);
    await isEverythingThere();
    expect(readState()).toMatchObject({ state: 'following', failure: null, behindMs: 0 });
    const grown = (await rig.cache.listSnapshots('one')).filter(
      ({ settledToMs }) => settledToMs !== undefined,
    );
    expect(grown.filter(({ stillOpen }) => stillOpen)).toHaveLength(DETAIL_KINDS.length);
  }, 120_000);

  it('makes fewer than three calls a minute while nothing happens, and stores no page for them', async () => {
    await start({ recordsPerSecond: 0 });
    await rig.pass(2);
    const before = rig.network.calls.length;
    await rig.pass(30);
    expect(rig.network.calls.length - before).toBeLessThan(3 * 30);
    expect(rig.network.calls.length - before).toBeGreaterThan(30);
    const days = await rig.cache.listSnapshots('one');
    expect(days.map(({ pageCount }) => pageCount)).toEqual([0, 0]);
    expect(rig.now() - (days[0]?.period.toMs ?? 0)).toBeLessThan(2 * MINUTE_MS);
  });

  it('takes a record that arrives just after its second was read, and has no remark for it', async () => {
    await start({ recordsPerSecond: 0 });
    await rig.pass(1);
    const [day] = await rig.cache.listSnapshots('one');
    // A period ends with its last second.
    await rig.arriveLate((day?.period.toMs ?? 0) + 700);
    await rig.pass(1);
    const days = await rig.cache.listSnapshots('one');
    expect(days.map(({ recordCount }) => recordCount).sort()).toEqual([0, 1]);
    expect(days.flatMap(({ remarks }) => remarks)).toEqual([]);
  });

  it('takes one turn after a sleep, not all those that it missed', async () => {
    await start({ recordsPerSecond: 0.1 });
    await rig.pass(5);
    await rig.sleep(300);
    const before = rig.network.calls.length;
    await rig.following.look();
    // Yesterday's rest and today, of both reports; one may be asked twice, since the token is old.
    const after = rig.network.calls.length;
    expect(after - before).toBeLessThanOrEqual(5);
    await rig.pass(0.25);
    expect(rig.network.calls.length).toBe(after);
  });

  it('looks again for what came late where the look-back is made longer', async () => {
    await start({ startMs: BEFORE_MIDNIGHT - 600 * MINUTE_MS, lateShare: 0 });
    await rig.pass(30, 30_000);
    const lateMs = rig.now() - 25 * MINUTE_MS;
    await rig.arriveLate(lateMs);
    await rig.pass(6, 30_000);
    const before = await rig.readSettled('inbound-detail');
    expect(before.settledToMs).toBeGreaterThan(lateMs);
    expect(before.served.length).toBe(before.cached.length + 1);
    rig.save({ lookBackMinutes: 45 });
    expect((await rig.readSettled('inbound-detail')).served).toEqual([]);
    await rig.pass(36, 30_000);
    const after = await rig.readSettled('inbound-detail');
    expect(after.settledToMs).toBeGreaterThan(lateMs);
    expect(after.cached).toEqual(after.served);
  });

  it('does not send refused credentials again until somebody acts', async () => {
    await start();
    await rig.pass(2);
    rig.network.answer = refuse(401);
    await rig.pass(2);
    expect(readState()).toMatchObject({ state: 'refused', nextTurnAtMs: null });
    const before = rig.network.calls.length;
    await rig.pass(60, 30_000);
    expect(rig.network.calls.length).toBe(before);
    rig.network.answer = null;
    rig.save({});
    await rig.pass(1);
    expect(readState()?.failure).toBeNull();
  });

  it('waits as long as the service asks, and longer with each failure', async () => {
    await start();
    await rig.pass(1);
    rig.network.answer = refuse(503, { 'retry-after': '600' });
    await rig.pass(1);
    const before = rig.network.calls.length;
    await rig.pass(9);
    expect(rig.network.calls.length).toBe(before);
    rig.network.answer = refuse(500);
    await rig.pass(60);
    expect(rig.network.calls.length - before).toBeLessThan(60);
    expect(readState()).toMatchObject({ state: 'failing' });
  });

  it('fetches nothing of the days before it began, and begins anew after it was off', async () => {
    await start({ recordsPerSecond: 0.1 });
    await rig.pass(5);
    rig.save({ followed: false });
    await rig.following.look();
    expect(readState()?.state).toBe('off');
    await rig.sleep(3 * 24 * 60);
    rig.save({ followed: true, followedSinceMs: rig.now() });
    await rig.pass(10, 30_000);
    const days = (await rig.cache.listSnapshots('one')).filter(({ report }) => report === 'inbound-detail');
    expect(days.map(({ period }) => period.startDate)).toEqual([
      '2026-03-13 00:00:00',
      '2026-03-10 00:00:00',
    ]);
  });
});
