import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUser, give } from './postgres-data.ts';
import { findPostgres } from './postgres-server.ts';

/**
 * Before the first test: a folder for the data of a new server, which the first test to start one fills. Two projects
 * of tests ask for it.
 */
export default async function sharePostgresData(): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === undefined || process.env['NEW_POSTGRES_DATA'] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'postgres-new-'));
  give(folder, findUser());
  process.env['NEW_POSTGRES_DATA'] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
