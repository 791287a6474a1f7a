import { randomUUID } from 'node:crypto';
import {
  SQL_MAX_MEMORY_MB,
  SQL_MAX_ROWS,
  type SqlFailure,
  type SqlResult,
} from '../../common/model/records/sql.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import {
  checkConnections,
  CONNECTIONS_OPTIONS,
  findConnections,
  noteDifferences,
} from '../session/find-connections.ts';
import { GAPS_OPTION, judgeMissing, readMissing } from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';
import { PERIOD_OPTIONS, readPeriod } from '../words/period-options.ts';

const ROWS_AT_A_TIME = 500;

const FAULTS: Readonly<Record<SqlFailure['fault'], string>> = {
  statement: 'The statement is wrong',
  several: 'It is more than one statement',
  empty: 'The statement is empty',
  'not-reading': 'It does something else than read',
  table: 'There is no such table to read',
  function: 'There is no such function',
  timeout: 'It took longer than a minute',
  memory: 'It needs more memory than there is',
  cancelled: 'Cancelled',
  stopped: 'Its process had to be ended',
};
const UNEXPECTED: readonly SqlFailure['fault'][] = ['timeout', 'memory', 'stopped'];

function toFailure({ fault, message, offset }: SqlFailure): CommandError {
  const place = offset === null ? '' : ` at character ${offset + 1}`;
  // Without words of the engine it was not the engine's own limit.
  const isTooLarge = fault === 'memory' && message === '';
  const told = isTooLarge ? `This query needs more than ${SQL_MAX_MEMORY_MB} MB` : FAULTS[fault];
  const words = `${told}${place}${message === '' ? '' : `: ${message}`}.`.replace(/\.\.$/, '.');
  if (fault === 'cancelled') return new CommandError(EXIT.cancelled, words);
  return new CommandError(UNEXPECTED.includes(fault) ? EXIT.unexpected : EXIT.usage, words);
}

/** Two columns of one name must not become one field. */
function nameFields({ columns }: SqlResult): string[] {
  const names: string[] = [];
  for (const { name } of columns) {
    let unique = name;
    for (let number = 2; names.includes(unique); number += 1) unique = `${name}_${number}`;
    names.push(unique);
  }
  return names;
}

async function writeRows(
  { out, signal }: CommandContext,
  session: Session,
  result: SqlResult,
): Promise<void> {
  const { resultId, rowCount } = result;
  const names = nameFields(result);
  for (let offset = 0; offset < Math.max(1, rowCount); offset += ROWS_AT_A_TIME) {
    if (signal.aborted) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const input = { resultId, offset, limit: ROWS_AT_A_TIME, whole: out.isJson };
    const rows = await session.call('sql/read-rows', input);
    for (const row of rows) {
      await out.json(Object.fromEntries(names.map((name, column) => [name, row[column] ?? null])));
    }
    await out.table(names, rows);
  }
}

export const sqlCommand: Command = {
  name: 'sql',
  summary: 'runs a read-only statement on the cached records of a period',
  operands: 'STATEMENT',
  maxOperands: 1,
  options: [...CONNECTIONS_OPTIONS, ...PERIOD_OPTIONS, GAPS_OPTION],
  about: `The tables are those of the SQL screen: inbound, outbound and others; resources/guide/sql.md lists them.
With several connections they have the rows of all, and begin with the columns connection and connection_id.`,
  async run(context) {
    const { args, out, signal, now } = context;
    const [text] = args.operands;
    if (text === undefined) throw toUsageError('The statement is missing.');
    checkConnections(context);
    readPeriod(context, 'UTC');
    const session = await context.open();
    const connections = await findConnections(context, session);
    const [{ id: connectionId, serviceZone }, ...others] = connections;
    const period = readPeriod(context, serviceZone);
    noteDifferences(context, connections, { zone: period.zone, hasTotals: true });
    const runId = randomUUID();
    const cancel = (): void => void session.tryCall('sql/cancel', { runId });
    signal.addEventListener('abort', cancel, { once: true });
    const otherConnectionIds = others.map(({ id }) => id);
    const outcome = await session.call('sql/run', {
      runId,
      connectionId,
      ...(others.length === 0 ? {} : { otherConnectionIds }),
      ...period,
      text,
    });
    signal.removeEventListener('abort', cancel);
    if (outcome.kind === 'failed') throw toFailure(outcome);
    await writeRows(context, session, outcome);
    await session.call('sql/close-result', { resultId: outcome.resultId });
    if (outcome.hasMore) {
      out.note(`Incomplete: only the first ${SQL_MAX_ROWS.toLocaleString('en')} rows are kept.`);
      return EXIT.incomplete;
    }
    const codes: ExitCode[] = [];
    for (const { id, name } of connections)
      for (const report of DETAIL_KINDS.filter((each) => mentions(text, each))) {
        const place = { connectionId: id, report, fromMs: period.fromMs, toMs: period.toMs };
        const prefix = others.length === 0 ? '' : `${name}: `;
        const own = { args, out: { ...out, note: (said: string) => out.note(`${prefix}${said}`) } };
        codes.push(judgeMissing(own, await readMissing(session, place, now()), period.zone));
        // Of one connection the first report says enough.
        if (others.length === 0 && codes.at(-1) !== EXIT.done) break;
      }
    return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
  },
};

/** A statement that names the table of a report depends on what of it is missing. */
function mentions(statement: string, report: string): boolean {
  const [direction = ''] = report.split('-');
  return statement.toLowerCase().includes(direction);
}
