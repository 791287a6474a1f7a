import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SERVICE_OPTIONS } from '../../../src-main/service/service-options.ts';
import { toDatabasePath } from '../../../src-main/service/store-sqlite/schema.ts';
import { startTestService } from '../service/running-service.ts';

/** Makes the sample history of the built-in service once, as its first start does; returns how to remove it. */
export async function makeSampleRecords(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-sample-'));
  const service = await startTestService({ ...DEFAULT_SERVICE_OPTIONS, dataFolder: folder });
  await service.stop();
  process.env['SAMPLE_RECORDS'] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Gives the built-in service of a new data folder the history that was made; without one it makes its own. */
export async function copySampleRecords(dataFolder: string): Promise<void> {
  const made = process.env['SAMPLE_RECORDS'];
  if (made === undefined) return;
  const folder = join(dataFolder, 'local-service');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await copyFile(toDatabasePath(made), toDatabasePath(folder));
}
