import { fileURLToPath } from 'node:url';
import { build, needsBuild } from '../../src-main/start/build-window.ts';

/** Builds what is out of date before the first test: two applications that start at once would both do it. */
export default async function buildWindowOnce(): Promise<void> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  if (needsBuild(root, 'window')) await build(root);
}
