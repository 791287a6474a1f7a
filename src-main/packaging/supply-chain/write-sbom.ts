import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { projectRoot, runGuarded } from '../../start/run-guarded.ts';
import { buildSbom, type LockedPackage } from './build-sbom.ts';

runGuarded(async () => {
  const [target = ''] = process.argv.slice(2);
  if (target === '') throw new Error('Name the file to write: npm run sbom -- FILE');
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const sbom = buildSbom(lock.packages, { id: randomUUID(), createdAt: new Date().toISOString() });
  await writeFile(resolve(target), `${JSON.stringify(sbom, null, 2)}\n`);
});
