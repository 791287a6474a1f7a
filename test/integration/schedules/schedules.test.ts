import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WEEKDAYS } from '../../../src-main/common/model/schedules/schedule.ts';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { shareCache, type SharedCache } from '../cache/share-cache.ts';
import { addSchedule, createScheduleRig, DRAFT, type ScheduleRig } from './schedule-rig.ts';

let shared: SharedCache;
shareCache((opened) => (shared = opened));

let rig: ScheduleRig;
beforeEach(async () => {
  rig = await createScheduleRig(shared);
  rig.setNow('2026-11-20T12:00:00Z');
});
afterEach(() => rig.close());

const listFiles = async (): Promise<string[]> => (await readdir(rig.out)).toSorted();

describe('a schedule', () => {
  it('writes at its time, once, what its query leaves of its period, and logs it', async () => {
    await rig.fillDay('2026-11-20', 8);
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules);
    rig.setNow('2026-11-21T06:59:59Z');
    await schedules.look();
    expect(await listFiles()).toEqual([]);
    expect(schedules.readBoard().schedules[0]).toMatchObject({
      nextAtMs: Date.parse('2026-11-21T07:00:00Z'),
      lastRun: null,
      taskId: null,
    });
    rig.setNow('2026-11-21T07:00:05Z');
    await schedules.look();
    await schedules.look();
    expect(await listFiles()).toEqual(['Night_ errors_ 2026-11-20.csv']);
    const file = join(rig.out, 'Night_ errors_ 2026-11-20.csv');
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(schedules.readLog(id)).toMatchObject([
      {
        cause: 'time',
        state: 'done',
        dueAtMs: Date.parse('2026-11-21T07:00:00Z'),
        fromMs: Date.parse('2026-11-20T00:00:00Z'),
        toMs: Date.parse('2026-11-21T00:00:00Z'),
        file,
        records: 2,
        missingMs: 0,
        skipped: 0,
        error: null,
      },
    ]);
    expect(rig.notes).toEqual([]);
  });

  it('never replaces a file: a run by hand writes one more', async () => {
    await rig.fillDay('2026-11-19', 4);
    const { schedules, tasks } = await rig.open();
    const { id } = await addSchedule(schedules);
    for (const expected of [1, 2]) {
      const { taskId } = schedules.run(id);
      expect(await tasks.whenEnded(taskId)).toMatchObject({ kind: 'schedule', state: 'done', done: 1 });
      expect(await listFiles()).toHaveLength(expected);
    }
    expect(await listFiles()).toContain('Night_ errors_ 2026-11-19 (2).csv');
  });

  it('has a name for each file, however long its own is', async () => {
    await rig.fillDay('2026-11-19', 4);
    const { schedules, tasks } = await rig.open();
    const { id } = await addSchedule(schedules, { name: '🌙'.repeat(30) });
    for (let number = 0; number < 2; number += 1) await tasks.whenEnded(schedules.run(id).taskId);
    expect((await listFiles()).map((name) => name.replaceAll('🌙', ''))).toEqual([
      ' 2026-11-19 (2).csv',
      ' 2026-11-19.csv',
    ]);
  });

  it('that is renamed is due as before, one with another time is not', async () => {
    await rig.fillDay('2026-11-20', 4);
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules);
    rig.setNow('2026-11-21T07:00:05Z');
    await schedules.save({ scheduleId: id, draft: { ...DRAFT, name: 'Other' } });
    await schedules.look();
    expect(await listFiles()).toEqual(['Other 2026-11-20.csv']);
    rig.setNow('2026-11-21T09:00:00Z');
    const times = { kind: 'daily' as const, time: '08:00', weekdays: [...WEEKDAYS] };
    await schedules.save({ scheduleId: id, draft: { ...DRAFT, times } });
    await schedules.look();
    expect(await listFiles()).toHaveLength(1);
  });

  it('says in the name, the log and a note what is missing, and writes no file of nothing', async () => {
    await rig.fillDay('2026-11-19', 4);
    await rig.fillDay('2026-11-21', 4);
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules, { period: 'last-7-days', query: '' });
    rig.setNow('2026-11-22T07:00:01Z');
    await schedules.look();
    const written = 'Night_ errors_ 2026-11-15 0700 to 2026-11-22 0700_incomplete.csv';
    expect(await listFiles()).toEqual([written, `${written}.manifest.json`]);
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'incomplete',
      records: 8,
      missingMs: 5 * 86_400_000,
    });
    expect(rig.notes).toMatchObject([{ title: 'Night: errors?: incomplete' }]);
    await schedules.save({ scheduleId: id, draft: DRAFT });
    rig.setNow('2026-11-24T07:00:01Z');
    await schedules.look();
    expect(await listFiles()).toHaveLength(2);
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'failed',
      error: { code: 'schedules.nothing-cached' },
    });
    expect(rig.notes.at(-1)).toMatchObject({ title: 'Night: errors?: no file' });
  });

  it('fetches what is missing first, and goes on with what there is where that fails', async () => {
    const { schedules, tasks } = await rig.open();
    const { id } = await addSchedule(schedules, { fetchesMissing: true, query: '' });
    const asked: unknown[] = [];
    rig.onFetch = (input) => {
      asked.push(input);
      const task = tasks.start({ kind: 'download' }, () => rig.fillDay('2026-11-20', 3));
      return [{ taskId: task.id, snapshotId: 1 }];
    };
    rig.setNow('2026-11-21T07:00:01Z');
    await schedules.look();
    expect(asked).toEqual([
      {
        connectionId: 'one',
        report: 'inbound-detail',
        fromMs: Date.parse('2026-11-20T00:00:00Z'),
        toMs: Date.parse('2026-11-20T23:59:59Z'),
      },
    ]);
    expect(schedules.readLog(id)[0]).toMatchObject({ state: 'done', records: 3, error: null });
    rig.onFetch = () => {
      const task = tasks.start({ kind: 'download' }, () =>
        Promise.reject(new AppError('client.credentials-refused', 'The credentials were refused.')),
      );
      return [{ taskId: task.id, snapshotId: 2 }];
    };
    await schedules.save({
      scheduleId: id,
      draft: { ...DRAFT, period: 'last-7-days', fetchesMissing: true },
    });
    rig.setNow('2026-11-22T07:00:01Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'incomplete',
      error: { code: 'client.credentials-refused' },
    });
  });

  it('pauses a download that waits for its service for half an hour, and goes on', async () => {
    await rig.fillDay('2026-11-19', 1);
    const { schedules, tasks } = await rig.open();
    const { id } = await addSchedule(schedules, { period: 'last-7-days', fetchesMissing: true, query: '' });
    rig.onFetch = () => {
      const task = tasks.start({ kind: 'download' }, async ({ signal, update }) => {
        update({ retryAtMs: 1 });
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      });
      return [{ taskId: task.id, snapshotId: 1 }];
    };
    rig.setNow('2026-11-21T07:00:00Z');
    const looked = schedules.look();
    await vi.waitFor(() => expect(tasks.list().some(({ retryAtMs }) => retryAtMs !== null)).toBe(true));
    await schedules.look();
    rig.setNow('2026-11-21T07:29:59Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({ state: 'running' });
    rig.setNow('2026-11-21T07:30:01Z');
    await schedules.look();
    await looked;
    expect(schedules.readLog(id)[0]).toMatchObject({ state: 'incomplete', records: 1 });
  });

  it('waits for what following is fetching, instead of fetching it again or going on without', async () => {
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules, { fetchesMissing: true, query: '' });
    const asked: unknown[] = [];
    rig.onFetch = (input) => {
      asked.push(input);
      return [];
    };
    rig.followed = { fromMs: Date.parse('2026-11-20T05:00:00Z'), toMs: Date.parse('2026-11-21T07:00:00Z') };
    await rig.fillSpan('2026-11-20T00:00:00Z', '2026-11-20T05:00:00Z', 2);
    rig.setNow('2026-11-21T07:00:01Z');
    const looked = schedules.look();
    await vi.waitFor(() => expect(schedules.readLog(id)[0]).toMatchObject({ state: 'running' }));
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({ state: 'running' });
    await rig.fillDay('2026-11-20', 5);
    rig.followed = null;
    await schedules.look();
    await looked;
    expect(schedules.readLog(id)[0]).toMatchObject({ state: 'done', records: 5, missingMs: 0, error: null });
    expect(asked).toEqual([]);
  });

  it('gives up following that has failed for half an hour, and says why something is missing', async () => {
    await rig.fillSpan('2026-11-20T00:00:00Z', '2026-11-20T05:00:00Z', 2);
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules, { fetchesMissing: true, query: '' });
    rig.followed = { fromMs: Date.parse('2026-11-20T05:00:00Z'), toMs: Date.parse('2026-11-21T07:00:00Z') };
    rig.following = {
      failure: { code: 'client.unreachable', message: 'There was no answer.', details: {} },
      failingSinceMs: Date.parse('2026-11-21T06:30:00Z'),
    };
    rig.setNow('2026-11-21T07:00:01Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'incomplete',
      records: 2,
      missingMs: 19 * 3_600_000,
      error: { code: 'client.unreachable' },
    });
  });

  it('fetches itself what somebody else began to fetch and gave up', async () => {
    const { schedules, tasks } = await rig.open();
    const { id } = await addSchedule(schedules, { fetchesMissing: true, query: '' });
    const asked: unknown[] = [];
    rig.onFetch = ({ fromMs, toMs }) => {
      asked.push([fromMs, toMs]);
      const task = tasks.start({ kind: 'download' }, () => rig.fillDay('2026-11-20', 3));
      return [{ taskId: task.id, snapshotId: 1 }];
    };
    const fromMs = Date.parse('2026-11-20T00:00:00Z');
    rig.followed = { fromMs, toMs: Date.parse('2026-11-21T07:00:00Z') };
    rig.setNow('2026-11-21T07:00:01Z');
    const looked = schedules.look();
    await vi.waitFor(() => expect(schedules.readLog(id)[0]).toMatchObject({ state: 'running' }));
    rig.followed = null;
    await vi.waitFor(async () => {
      await schedules.look();
      expect(asked).toEqual([[fromMs, Date.parse('2026-11-20T23:59:59Z')]]);
    });
    await looked;
    expect(schedules.readLog(id)[0]).toMatchObject({ state: 'done', records: 3 });
  });

  it('what a run since the last one could not write is made up for by the next', async () => {
    rig.setNow('2026-11-20T08:00:00Z');
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules, { period: 'since-before', query: '' });
    await rig.fillDay('2026-11-20', 3);
    rig.setNow('2026-11-21T07:00:01Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'incomplete',
      writtenToMs: Date.parse('2026-11-21T00:00:00Z'),
    });
    await rig.fillDay('2026-11-21', 4);
    rig.setNow('2026-11-22T07:00:01Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({
      records: 4,
      fromMs: Date.parse('2026-11-21T00:00:00Z'),
      writtenToMs: Date.parse('2026-11-22T00:00:00Z'),
    });
  });
});

describe('after the application was closed', () => {
  it('each day that was missed has its file, and none has two', async () => {
    for (const day of ['2026-11-20', '2026-11-21', '2026-11-22']) await rig.fillDay(day, 4);
    const before = await rig.open();
    const { id } = await addSchedule(before.schedules);
    rig.setNow('2026-11-23T09:00:00Z');
    const { schedules } = await rig.open();
    expect(schedules.readBoard()).toMatchObject({ isIdle: true, schedules: [{ lastRun: null }] });
    await schedules.look();
    expect(await listFiles()).toEqual(
      ['2026-11-20', '2026-11-21', '2026-11-22'].map((day) => `Night_ errors_ ${day}.csv`),
    );
    expect(schedules.readLog(id).map(({ cause, state }) => [cause, state])).toEqual(
      Array(3).fill(['catch-up', 'done']),
    );
    const again = await rig.open();
    await again.schedules.look();
    expect(await listFiles()).toHaveLength(3);
  });

  it('a run that was cut off is made again, one that was cancelled is not', async () => {
    await rig.fillDay('2026-11-19', 1);
    const first = await rig.open();
    const { id } = await addSchedule(first.schedules, { fetchesMissing: true });
    const hang = (tasks: typeof first.tasks): void => {
      rig.onFetch = () => {
        const task = tasks.start(
          { kind: 'download' },
          ({ signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            }),
        );
        return [{ taskId: task.id, snapshotId: 1 }];
      };
    };
    hang(first.tasks);
    rig.setNow('2026-11-21T07:00:00Z');
    const looked = first.schedules.look();
    await vi.waitFor(() => expect(first.schedules.readLog(id)).toHaveLength(1));
    await vi.waitFor(() => expect(first.tasks.list()).toHaveLength(2));
    await first.tasks.stop();
    await looked;
    expect(first.schedules.readLog(id)[0]).toMatchObject({ state: 'interrupted' });
    expect(await listFiles()).toEqual([]);

    const second = await rig.open();
    hang(second.tasks);
    const again = second.schedules.look();
    await vi.waitFor(() => expect(second.tasks.list()).toHaveLength(2));
    second.tasks.cancel(second.schedules.readBoard().schedules[0]?.taskId ?? '');
    await again;
    expect(second.schedules.readLog(id).map(({ state }) => state)).toEqual(['cancelled', 'interrupted']);
    await second.schedules.look();
    expect(second.schedules.readLog(id)).toHaveLength(2);
    expect(await listFiles()).toEqual([]);
  });
});

describe('what is gone', () => {
  it('a folder: an entry and a note say so, and the next run writes once it is back', async () => {
    await rig.fillDay('2026-11-20', 1);
    await rig.fillDay('2026-11-21', 1);
    const { schedules, tasks } = await rig.open();
    const { id } = await addSchedule(schedules);
    await rm(rig.out, { recursive: true });
    rig.setNow('2026-11-21T07:00:00Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'failed',
      file: null,
      error: { code: 'schedules.folder-gone', details: { folder: rig.out } },
    });
    expect(rig.notes).toEqual([
      { title: 'Night: errors?: no file', body: 'Its folder is not there any more.' },
    ]);
    await mkdir(rig.out);
    rig.setNow('2026-11-22T07:00:00Z');
    await schedules.look();
    expect(await listFiles()).toEqual(['Night_ errors_ 2026-11-21.csv']);
    // The one that failed can be made up for, for its own period.
    const failed = schedules.readLog(id).find(({ state }) => state === 'failed');
    await tasks.whenEnded(schedules.run(id, failed?.id).taskId);
    expect(await listFiles()).toContain('Night_ errors_ 2026-11-20.csv');
  });

  it('a connection: an entry says so, and the schedule can still be removed', async () => {
    const { schedules } = await rig.open();
    const { id } = await addSchedule(schedules);
    rig.removeConnection();
    rig.setNow('2026-11-21T07:00:00Z');
    await schedules.look();
    expect(schedules.readLog(id)[0]).toMatchObject({
      state: 'failed',
      error: { code: 'connections.not-found' },
    });
    await schedules.remove(id);
    expect(schedules.readBoard().schedules).toEqual([]);
    expect(() => schedules.readLog(id)).toThrow(/no such schedule/);
  });
});

describe('what can’t be a schedule', () => {
  it.each([
    ['a zone that nobody knows', { zone: 'Mars/Base' }, 'app.invalid-input'],
    ['a query that is none', { query: 'size:5' }, 'schedules.query'],
    ['a summary with a query', { report: 'inbound-summary' as const }, 'app.invalid-input'],
    ['a name of spaces', { name: '  ' }, 'app.invalid-input'],
  ])('%s', async (_title, change, code) => {
    const { schedules } = await rig.open();
    await expect(addSchedule(schedules, change)).rejects.toMatchObject({ code });
    await expect(schedules.save({ scheduleId: null, draft: DRAFT, folderId: '/etc' })).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
    expect(schedules.readBoard().schedules).toEqual([]);
  });
});
