import { fileURLToPath } from 'node:url';
import { buildWhereNeeded } from '../../../src-main/start/build-application.ts';
import { makeSampleRecords } from './sample-records.ts';

/**
 * Builds what is out of date before the first test: two applications that start at once would both do it. And makes the
 * sample history that most of them start with: it would take each of them two seconds.
 */
export default async function buildOnce(): Promise<() => Promise<void>> {
  await buildWhereNeeded(fileURLToPath(new URL('../../../', import.meta.url)));
  return makeSampleRecords();
}
