import { DETAIL_KINDS, SUMMARY_KINDS } from '../../common/reporting/reports.ts';
import { INCIDENT_STATES } from '../../common/model/analysis/incident.ts';
import { CONNECTION_COMMANDS } from '../commands/connections.ts';
import { countCommand, sqlCommand } from '../commands/records.ts';
import { errorsCommand } from '../commands/errors.ts';
import { incidentsCommand } from '../commands/findings.ts';
import { summaryCommand } from '../commands/figures.ts';
import { EXIT } from '../exit-codes.ts';
import { findRecords, judgeRecords } from '../session/find-records.ts';
import type { Command } from '../words/command.ts';
import { readQuery } from '../words/options.ts';

/** What an assistant can ask for: a command that only reads, with the options that it may give. */
interface Tool {
  summary(isMasked: boolean): string;
  readonly command: Command;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: string[];
    readonly additionalProperties: false;
  };
  /** Options that the command is always given. */
  readonly always?: Readonly<Record<string, true>>;
  /** The input that is the command's operand. */
  readonly operand?: string;
}

const CONNECTION = { type: 'string', description: 'name or id of a connection' };
const PERIOD = {
  from: { type: 'string', description: 'beginning: 2026-11-20, 2026-11-20T10:15Z, yesterday, now-24h' },
  to: { type: 'string', description: 'end, itself not included: today, now, 2026-11-21T00:00:00+01:00' },
  zone: { type: 'string', description: "zone of times that name none; left out, the connection's" },
};
const REPORT = { type: 'string', enum: [...DETAIL_KINDS] };
const QUERY = { type: 'string', description: 'only records that meet it: "code:>=500 channel:3"' };
const LIMIT = { type: 'integer', minimum: 1, maximum: 500, description: 'rows of the answer; left out, 100' };

function accept(properties: Readonly<Record<string, object>>, ...required: string[]): Tool['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

const RECORD_ROWS = 500;

/** The records themselves; the window has a table for them, and `export` files. */
const recordsCommand: Command = {
  ...countCommand,
  name: 'records',
  options: [...countCommand.options, { name: 'offset', value: 'NUMBER', summary: 'rows to skip' }],
  async run(context) {
    const session = await context.open();
    const found = await findRecords(context, session, DETAIL_KINDS);
    const filter = readQuery(context, found.zone, found.connection?.names ?? []);
    const offset = context.args.whole('offset', 0, 1_000_000_000) ?? 0;
    const order = [{ column: 'dateMs' as const, descending: true }];
    const { viewId } = await session.call('records/open-view', { scope: found.scope, filter, order });
    try {
      const { rowCount } = await session.call('records/count-view', { viewId });
      const rows = await session.call('records/read-rows', { viewId, offset, limit: RECORD_ROWS });
      for (const { dateMs, dateText, ...row } of rows) {
        const date = dateMs === null ? dateText : new Date(dateMs).toISOString();
        await context.out.json({ date, ...row });
      }
      context.out.note(`${rowCount} records match; rows ${offset} to ${offset + rows.length} were read.`);
    } finally {
      await session.call('records/close-view', { viewId });
    }
    return judgeRecords(context, found);
  },
};

/** Each answer says what is cached; this tool says nothing else. */
const coverageCommand: Command = { ...countCommand, name: 'coverage', run: () => Promise.resolve(EXIT.done) };

const noted = (text: string) => (): string => text;

/** The tools by their names. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  connections: {
    summary: noted('Lists the saved connections.'),
    command: CONNECTION_COMMANDS.find(({ name }) => name === 'connection list') ?? countCommand,
    inputSchema: accept({}),
  },
  coverage: {
    summary: noted('Says what of a period is cached, in both directions.'),
    command: coverageCommand,
    inputSchema: accept({ connection: CONNECTION, ...PERIOD }, 'connection', 'from', 'to'),
  },
  count: {
    summary: noted('Counts cached records.'),
    command: countCommand,
    inputSchema: accept(
      { connection: CONNECTION, ...PERIOD, report: REPORT, query: QUERY },
      ...['connection', 'from', 'to', 'report'],
    ),
  },
  records: {
    summary: (isMasked) =>
      `Lists cached records, the newest first${isMasked ? '; clients are pseudonyms, payloads are left out' : ''}.`,
    command: recordsCommand,
    inputSchema: accept(
      {
        connection: CONNECTION,
        ...PERIOD,
        report: REPORT,
        query: QUERY,
        limit: LIMIT,
        offset: { type: 'integer', minimum: 0, description: 'rows to skip' },
      },
      ...['connection', 'from', 'to', 'report'],
    ),
  },
  summary: {
    summary: noted('Counts cached records and their response times by channel, service, origin and code.'),
    command: summaryCommand,
    always: { computed: true },
    inputSchema: accept(
      {
        connection: CONNECTION,
        ...PERIOD,
        report: { type: 'string', enum: [...SUMMARY_KINDS] },
        limit: LIMIT,
      },
      ...['connection', 'from', 'to', 'report'],
    ),
  },
  incidents: {
    summary: noted('Lists what went wrong in a period, with the query that shows the records of each part.'),
    command: incidentsCommand,
    inputSchema: accept(
      {
        connection: CONNECTION,
        ...PERIOD,
        state: { type: 'string', enum: [...INCIDENT_STATES] },
        limit: LIMIT,
      },
      ...['connection', 'from', 'to'],
    ),
  },
  errors: {
    summary: noted('Lists the errors of cached records by family: errors that say the same.'),
    command: errorsCommand,
    inputSchema: accept(
      { connection: CONNECTION, ...PERIOD, report: REPORT, query: QUERY, limit: LIMIT },
      ...['connection', 'from', 'to'],
    ),
  },
  sql: {
    summary: (isMasked) =>
      `Runs a statement of SQL (DuckDB) that reads the tables inbound and outbound of a period${
        isMasked
          ? '; they have the columns with numbers and times, and outcome, but none with texts'
          : ', summaries and status'
      }.`,
    command: sqlCommand,
    operand: 'statement',
    inputSchema: accept(
      { connection: CONNECTION, ...PERIOD, statement: { type: 'string' }, limit: LIMIT },
      ...['connection', 'from', 'to', 'statement'],
    ),
  },
};
