import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordImport } from '../../src-main/common/model/connections/local-service.ts';
import { openLocalService, start, type Running } from './local-service-rig.ts';

describe('an import', () => {
  const released: string[] = [];
  const openWithFile = async (text: string): Promise<Running> => {
    const running: Running = await openLocalService({
      chooseImportFile: () => {
        const path = join(running.folder, 'records.csv');
        return Promise.resolve({
          path,
          name: 'records.csv',
          release: () => {
            released.push(path);
            return Promise.resolve();
          },
        });
      },
    });
    released.length = 0;
    await writeFile(join(running.folder, 'records.csv'), text);
    await start(running);
    return running;
  };
  const begin = async (running: Running): Promise<RecordImport> =>
    (await running.service['local-service/start-import']({ uploadId: null }))!;
  const current = (running: Running) => running.service['local-service/get-import'](null) as RecordImport;

  it('ends with what was added, known and rejected, and lets the file go', async () => {
    const running = await openWithFile('good\nbad\nknown\ngood\n');
    const { taskId } = await begin(running);
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ kind: 'import', state: 'done' });
    const report = {
      lines: 4,
      added: 2,
      known: 1,
      rejected: 1,
      problems: [{ line: 2, faults: [{ code: 'not-object', values: {} }] }],
    };
    expect(current(running)).toMatchObject({ fileName: 'records.csv', state: 'done', report, error: null });
    expect(running.events.filter(({ name }) => name === 'local-service/import-changed').at(-1)).toEqual({
      name: 'local-service/import-changed',
      payload: current(running),
    });
    expect(released).toHaveLength(1);
  });

  it('is cancelled as a task, and keeps its report', async () => {
    const running = await openWithFile('bad\ngood\nwait\n');
    const { taskId } = await begin(running);
    await expect.poll(() => current(running).report.lines).toBe(3);
    expect(current(running).report).toMatchObject({ rejected: 1, problems: [] });
    await expect(begin(running)).rejects.toMatchObject({ code: 'local-service.import-running' });
    running.tasks.cancel(taskId);
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ state: 'cancelled' });
    expect(current(running)).toMatchObject({ state: 'cancelled', report: { added: 1, rejected: 1 } });
    expect(current(running).report.problems).toHaveLength(1);
    expect(released).toHaveLength(1);
  });

  it('says why a file could not be read on, and keeps what came before', async () => {
    const running = await openWithFile('good\nbroken\n');
    const { taskId } = await begin(running);
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ state: 'failed' });
    expect(current(running)).toMatchObject({
      state: 'failed',
      report: { added: 1 },
      error: { code: 'local-service.import-failed', details: { reason: expect.stringContaining('quoted') } },
    });
  });

  it.each([
    ['a crash', 'crash', 'failed'],
    ['a stop', 'wait', 'cancelled'],
  ])('ends with %s of the service', async (_what, text, state) => {
    const running = await openWithFile(text);
    const { taskId } = await begin(running);
    if (state === 'cancelled') {
      await expect.poll(() => current(running).report.lines).toBe(1);
      await running.service['local-service/stop'](null);
    }
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ state });
    expect(current(running).state).toBe(state);
    expect(released).toHaveLength(1);
  });

  it('needs a running service, and a file', async () => {
    const running = await openLocalService();
    const importFile = running.service['local-service/start-import'];
    await expect(importFile({ uploadId: null })).rejects.toMatchObject({ code: 'local-service.not-running' });
    await start(running);
    expect(await importFile({ uploadId: null })).toBeNull();
    await expect(importFile({ uploadId: 'gone' })).rejects.toMatchObject({
      code: 'local-service.upload-gone',
    });
  });
});
