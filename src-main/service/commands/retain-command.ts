import { OptionError } from '../service-options.ts';
import { DATABASE_OPTIONS, readDatabasePlace } from '../database-place.ts';
import { readCommand, type CommandSurroundings } from './read-command.ts';
import { DAY_MS } from '../../common/time/durations.ts';

const MAX_DAYS = 36_500;
const OPTIONS = {
  ...DATABASE_OPTIONS,
  days: { type: 'string' },
  tenant: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const HELP_TEXT = `Removes old days of a database.

  npm run service -- retain --days N [--tenant N]

  --days N                    whole days (UTC) before today that are kept; older records go, with what was summed of them
                              and the sessions, groups and origins that no record names any more
  --tenant N                  only this tenant's (default: every tenant's)
  --database URL              the database, as its owner; or DATABASE_URL
  --database-schema NAME      schema of its tables (default channelscope)

It prints one line of JSON for each tenant. Run it once a day.
`;

/** `retain`: drops the partitions of days that are not kept any more. */
export async function runRetainCommand(
  args: readonly string[],
  surroundings: CommandSurroundings,
): Promise<void> {
  const command = readCommand({ args: [...args], options: OPTIONS }, HELP_TEXT, surroundings);
  if (command === null) return;
  const { values } = command;
  const days = readWhole(values.days, MAX_DAYS);
  if (days === null) throw new OptionError(`--days takes a whole number from 1 to ${MAX_DAYS}.`);
  const place = readDatabasePlace(values, surroundings.environment);
  if (place === null) throw new OptionError('retain needs --database URL or DATABASE_URL.');
  const only = values.tenant === undefined ? null : readWhole(values.tenant, Number.MAX_SAFE_INTEGER);
  if (values.tenant !== undefined && only === null) throw new OptionError('--tenant takes a whole number.');
  const { retainInDatabase } = await import('../store-postgres/administer.ts');
  await retainInDatabase(place, { cutoffMs: surroundings.now() - days * DAY_MS, only }, (result) => {
    surroundings.write(`${JSON.stringify(result)}\n`);
  });
}

function readWhole(text: string | undefined, most: number): number | null {
  const value = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= most ? value : null;
}
