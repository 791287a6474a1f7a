import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../../../src-main/common/model/exports/export-options.ts';
import { openPartialFile } from '../../../src-main/core/exports/partial-file.ts';
import { openPartialList } from '../../../src-main/core/exports/partial-list.ts';
import { createRecord } from '../../support/fake-export-parts.ts';
import { isPosix } from '../../support/posix.ts';
import { createSilentLogger } from '../../support/silent-logger.ts';
import { createExportRig, RECORDS_INPUT } from './export-rig.ts';

const BATCHES = 10;
/** Ten batches of a hundred. */
const records = Array.from({ length: 100 * BATCHES }, (_none, seq) =>
  createRecord(seq, { payload: `payload ${seq} `.repeat(20) }),
);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-faults-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.each(EXPORT_FORMATS)('an export as %s', (format) => {
  const input = { ...RECORDS_INPUT, format, layout: { manifest: true } };

  it('that is cancelled leaves neither a file nor a part of it, nor a manifest', async () => {
    for (let moment = 0; moment < BATCHES; moment += 1) {
      const rig = createExportRig({
        folder,
        records,
        onBatch: (index) => {
          if (index === moment) rig.cancel();
        },
      });
      const { task } = await rig.write(input);
      expect(task.state).toBe('cancelled');
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('whose disk is full keeps the file that was there before', async () => {
    const file = join(folder, 'chosen.file');
    await writeFile(file, 'before');
    for (let moment = 0; moment < BATCHES; moment += 3) {
      const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const rig = createExportRig({
        folder,
        records,
        onBatch: (index) => {
          if (index === moment) throw full;
        },
      });
      const { task } = await rig.write(input);
      expect(task.state).toBe('failed');
      expect(await readdir(folder)).toEqual(['chosen.file']);
      expect(await readFile(file, 'utf8')).toBe('before');
    }
  });

  it('whose folder vanishes meanwhile fails, and says so', async () => {
    const inner = join(folder, 'inner');
    await mkdir(inner);
    const rig = createExportRig({
      folder: inner,
      records,
      onBatch: (index) => (index === 5 ? rm(inner, { recursive: true, force: true }) : undefined),
    });
    const { task } = await rig.write(input);
    if (isPosix) expect(task).toMatchObject({ state: 'failed', error: { code: 'exports.write-failed' } });
    expect(await readdir(folder)).toEqual(isPosix ? [] : ['inner']);
  });

  it('into a place that takes no files fails without a trace', async () => {
    const plain = join(folder, 'plain');
    await writeFile(plain, '');
    const { task } = await createExportRig({ folder: plain, records }).write(input);
    expect(task).toMatchObject({ state: 'failed', error: { code: 'exports.write-failed' } });
    expect(await readdir(folder)).toEqual(['plain']);
  });
});

it('what a killed export left is gone after the next start, and nothing has the name of the file', async () => {
  const target = join(folder, 'killed.xlsx');
  const list = await openPartialList(folder, Date.now(), createSilentLogger());
  const file = await openPartialFile(target, Date.now());
  await list.add(target);
  await file.write(new Uint8Array([80, 75, 3, 4]));
  expect((await readdir(folder)).sort()).toEqual(['killed.xlsx.part', 'partial-exports.json']);
  await openPartialList(folder, Date.now(), createSilentLogger());
  expect(await readdir(folder)).toEqual(['partial-exports.json']);
  await file.discard();
});
