import { fileURLToPath } from 'node:url';
import { buildWhereNeeded } from '../../../src-main/start/build-application.ts';

/** Builds what is out of date before the first test: two applications that start at once would both do it. */
export default async function buildOnce(): Promise<void> {
  await buildWhereNeeded(fileURLToPath(new URL('../../../', import.meta.url)));
}
