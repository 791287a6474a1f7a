import { randomUUID } from 'node:crypto';
import { CONVERSATION_COLUMNS, toConversationCells } from '../../common/exports/export-texts.ts';
import { type Conversation, CONVERSATION_OUTCOMES } from '../../common/model/records/conversation.ts';
import {
  SQL_MAX_MEMORY_MB,
  SQL_MAX_ROWS,
  type SqlFailure,
  type SqlResult,
} from '../../common/model/records/sql.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { formatMoment, formatRecordMoment } from '../../common/time/civil-time.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  checkConnections,
  CONNECTION_OPTION,
  CONNECTIONS_OPTIONS,
  findConnection,
  findConnections,
  noteDifferences,
} from '../session/find-connections.ts';
import {
  checkRecordOptions,
  findRecords,
  GAPS_OPTION,
  judgeMissing,
  judgeRecords,
  readMissing,
  RECORD_OPTIONS,
} from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { type Command, type CommandContext, toUsageError } from '../words/command.ts';
import { PERIOD_OPTIONS, QUERY_OPTION, readPeriod, readQuery } from '../words/options.ts';

export const countCommand: Command = {
  name: 'count',
  summary: 'counts cached records',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: DETAIL_KINDS },
    QUERY_OPTION,
  ],
  about: `Each moment counts once, even if fetched several times. With --json it writes {"records","missingSeconds"}.`,
  async run(context) {
    checkRecordOptions(context);
    readQuery(context, 'UTC', []);
    const session = await context.open();
    const found = await findRecords(context, session, DETAIL_KINDS);
    const filter = readQuery(context, found.zone, found.connection?.names ?? []);
    const { viewId } = await session.call('records/open-view', {
      scope: found.scope,
      filter,
      order: [{ column: 'received', descending: false }],
    });
    const { rowCount: records } = await session.call('records/count-view', { viewId });
    await session.call('records/close-view', { viewId });
    await context.out.json({ records, missingSeconds: found.missing?.seconds ?? 0 });
    await context.out.text(countWords(records, 'record'));
    return judgeRecords(context, found);
  },
};

const ROWS_AT_A_TIME = 500;

function toCells(one: Conversation, zone: string): (string | number | null)[] {
  return [
    formatRecordMoment(one.firstMs, zone),
    `${Math.round((one.endMs - one.firstMs) / 1000)} s`,
    one.outcome,
    one.channels.join(', '),
    one.services.join(', '),
    one.client,
    one.inbound,
    one.outbound,
    // Of a part that isn't cached nobody knows whether it failed.
    one.outcome === 'unknown' ? '' : one.failures,
    one.firstError?.text ?? '',
    one.sessionId,
  ];
}

export const conversationsCommand: Command = {
  name: 'conversations',
  summary: 'lists the conversations of a period with their outcome',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    ...PERIOD_OPTIONS,
    { name: 'outcome', value: 'OUTCOME', summary: 'only these', choices: CONVERSATION_OUTCOMES },
    { ...QUERY_OPTION, summary: 'only those with a matching record: "service:7"' },
    GAPS_OPTION,
  ],
  about: `A conversation is everything of one session. It is lost if its last request of a kind failed, recovered if each
that failed succeeded later, waiting if it is still going on at the end of the cached records, and unknown if a part may
not be cached. The last line counts all of them, and the clients of lost ones.`,
  async run(context) {
    const { args, out, now, signal } = context;
    const wanted = args.require('connection');
    readPeriod(context, 'UTC');
    readQuery(context, 'UTC', []);
    const chosen = args.find('outcome') === null ? null : args.choose('outcome', CONVERSATION_OUTCOMES);
    const session = await context.open();
    const { id: connectionId, serviceZone, names = [] } = await findConnection(session, wanted);
    const { fromMs, toMs, zone } = readPeriod(context, serviceZone);
    const filter = readQuery(context, zone, names);
    const question = {
      connectionId,
      fromMs,
      toMs,
      filter,
      order: { column: 'start', descending: false },
    } as const;
    const { viewId, rowCount, outcomes, knownUntilMs } = await session.call('conversations/open', {
      ...question,
      ...(chosen === null ? {} : { outcomes: [chosen] }),
    });
    for (let offset = 0; offset < rowCount; offset += ROWS_AT_A_TIME) {
      if (signal.aborted) throw new CommandError(EXIT.cancelled, 'Cancelled.');
      const rows = await session.call('conversations/read-rows', { viewId, offset, limit: ROWS_AT_A_TIME });
      for (const row of rows) {
        const cells = toConversationCells(row);
        await out.json(
          Object.fromEntries(CONVERSATION_COLUMNS.map(({ name }, at) => [name, cells[at] ?? null])),
        );
      }
      await out.table(
        COLUMNS,
        rows.map((row) => toCells(row, zone)),
      );
    }
    const clients = await session.call('conversations/count-clients', { viewId });
    await session.call('conversations/close', { viewId });
    const all = outcomes.reduce((sum, { count }) => sum + count, 0);
    const listed = outcomes
      .filter(({ count }) => count > 0)
      .map(({ outcome, count }) => {
        const hurt = clients.find((one) => one.outcome === outcome)?.count ?? 0;
        return outcome === 'lost' ? `${count} lost (${countWords(hurt, 'client')})` : `${count} ${outcome}`;
      });
    await out.text(
      [countWords(all, 'conversation'), ...(listed.length === 0 ? [] : [listed.join(', ')])].join(': '),
    );
    if (knownUntilMs !== null && knownUntilMs < toMs)
      out.note(`Known up to ${formatMoment(knownUntilMs, zone)} (${zone}).`);
    const codes: ExitCode[] = [];
    for (const report of DETAIL_KINDS) {
      const missing = await readMissing(session, { connectionId, report, fromMs, toMs }, now());
      const own = { ...context, out: { ...out, note: (text: string) => out.note(`${report}: ${text}`) } };
      codes.push(judgeMissing(own, missing, zone));
    }
    return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
  },
};

const COLUMNS = [
  ...['start', 'length', 'outcome', 'channel', 'service', 'client', 'in', 'out', 'failures'],
  ...['first error', 'session'],
];

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
