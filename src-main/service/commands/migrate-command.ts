import { OptionError } from '../service-options.ts';
import { parseOptions, type CommandSurroundings } from './read-command.ts';
import { DATABASE_OPTIONS, readDatabasePlace } from '../database-place.ts';

const OPTIONS = {
  ...DATABASE_OPTIONS,
  migrate: { type: 'boolean' },
  'serving-role': { type: 'string' },
} as const;

/** `--migrate`: brings the database up to date and ends. Apart from serving, which needs no right to change tables. */
export async function runMigrateCommand(
  args: readonly string[],
  { environment, write }: CommandSurroundings,
): Promise<void> {
  const { values } = parseOptions({ args: [...args], options: OPTIONS });
  const place = readDatabasePlace(values, environment);
  if (place === null) throw new OptionError('--migrate needs --database URL or DATABASE_URL.');
  const { migrateDatabase } = await import('../store-postgres/administer.ts');
  const { fromVersion, toVersion } = await migrateDatabase(place, values['serving-role'] ?? null);
  write(
    fromVersion === toVersion
      ? `The schema ${place.schema} is up to date (${toVersion}).\n`
      : `The schema ${place.schema} was brought from version ${fromVersion} to ${toVersion}.\n`,
  );
}
