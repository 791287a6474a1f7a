import { listHistory, type FamilyAct } from '../../common/model/connections/family-changes.ts';
import {
  PATTERN_FIELDS,
  type PatternField,
  type PeriodScope,
  type TextPattern,
} from '../../common/model/records/record-filter.ts';
import type { ErrorFamily } from '../../common/model/records/error-family.ts';
import { DETAIL_KINDS, type DetailKind } from '../../common/reporting/reports.ts';
import { formatRecordMoment } from '../../common/time/civil-time.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  findConnection,
  checkConnections,
  CONNECTIONS_OPTIONS,
  findConnections,
  hasSeveral,
  noteDifferences,
} from '../session/find-connections.ts';
import {
  judgeMissing,
  readMissing,
  findRecords,
  judgeRecords,
  RECORD_OPTIONS,
  type FoundRecords,
} from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';
import { QUERY_OPTION, readPeriod, readQuery } from '../words/options.ts';

interface Row extends ErrorFamily {
  readonly report: DetailKind;
}

/** The same command for one report. */
function toContextOf(context: CommandContext, report: DetailKind): CommandContext {
  const { args, out } = context;
  return {
    ...context,
    args: { ...args, choose: () => report as never },
    out: { ...out, note: (text) => out.note(`${report}: ${text}`) },
  };
}

const isNothingCached = ({ missing }: FoundRecords, fromMs: number, toMs: number): boolean =>
  missing !== null && missing.seconds > 0 && missing.seconds * 1_000 >= toMs - fromMs;

const toIso = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());

const WAYS = ['rename', 'merge-into', 'split-by', 'split-text', 'undo'] as const;

/** What is to be done to the family that the command names; null where it names none. */
function readWay({
  args,
}: CommandContext): { readonly family: string; readonly way: (typeof WAYS)[number] } | null {
  const family = args.find('family');
  const ways = WAYS.filter((way) => args.has(way) || args.find(way) !== null);
  const [way] = ways;
  if (family === null) {
    if (way !== undefined) throw toUsageError(`--${way} needs --family.`);
    if (args.find('name') !== null) throw toUsageError('--name needs --split-text.');
    return null;
  }
  if (way === undefined || ways.length > 1)
    throw toUsageError(`--family needs one of ${WAYS.map((name) => `--${name}`).join(', ')}.`);
  if (way === 'split-text') args.require('name');
  else if (args.find('name') !== null) throw toUsageError('--name needs --split-text.');
  args.choose('report', DETAIL_KINDS);
  return { family, way };
}

/** The act that splits a family by one of the variables that its page has. */
async function findSplit(
  session: Session,
  scope: PeriodScope,
  family: string,
  variable: string,
): Promise<FamilyAct> {
  const page = await session.call('families/read', { scope, family });
  const at = page.variables.findIndex(({ name }) => name === variable);
  if (at === -1) {
    const names = page.variables.map(({ name }) => name);
    const known = names.length === 0 ? 'It has none.' : `It has: ${names.join(', ')}.`;
    throw new CommandError(EXIT.notFound, `The family has no variable "${variable}" in this period.`, known);
  }
  return { kind: 'split', family: page.family, parts: page.parts, at, variable };
}

async function changeFamily(context: CommandContext, session: Session): Promise<void> {
  const { args } = context;
  const asked = readWay(context);
  if (asked === null) return;
  const { family, way } = asked;
  const connection = await findConnection(session, args.require('connection'));
  const report = args.choose('report', DETAIL_KINDS);
  const direction = report.startsWith('inbound') ? 'inbound' : 'outbound';
  const place = { connectionId: connection.id, direction, wait: true } as const;
  const change = (act: FamilyAct) => session.call('families/change', { ...place, act });
  switch (way) {
    case 'rename':
      await change({ kind: 'rename', family, name: args.require('rename') });
      return;
    case 'merge-into':
      await change({ kind: 'merge', family, into: args.require('merge-into') });
      return;
    case 'split-text':
      await change({
        kind: 'split-text',
        family,
        text: args.require('split-text'),
        name: args.require('name'),
      });
      return;
    case 'split-by': {
      const { fromMs, toMs } = readPeriod(context, connection.serviceZone);
      const scope = { connectionId: connection.id, report, fromMs, toMs };
      await change(await findSplit(session, scope, family, args.require('split-by')));
      return;
    }
    case 'undo': {
      const undone = listHistory(connection.families?.[direction] ?? [], family)[0];
      if (undone === undefined) throw new CommandError(EXIT.notFound, 'Nobody has changed the family.');
      await session.call('families/undo', { ...place, changeId: undone.id });
    }
  }
}

/** Lists the patterns of a field's texts, of each report that has it. */
async function listPatterns(context: CommandContext, field: PatternField): Promise<ExitCode> {
  const { args, out } = context;
  const own = args.find('report') === null ? null : args.choose('report', DETAIL_KINDS);
  if (field === 'response' && own === 'inbound-detail')
    throw toUsageError('Inbound records have no response.');
  const all = own === null ? DETAIL_KINDS : [own];
  const reports = field === 'response' ? all.filter((report) => report === 'outbound-detail') : all;
  const session = await context.open();
  const codes: ExitCode[] = [];
  const rows: (readonly [DetailKind, TextPattern, string])[] = [];
  let readCount = 0;
  let textRecordCount = 0;
  let patternCount = 0;
  for (const report of reports) {
    const ownContext = toContextOf(context, report);
    const records = await findRecords(ownContext, session, DETAIL_KINDS);
    const { fromMs, toMs } = readPeriod(context, records.zone);
    const filter = readQuery(context, records.zone, records.connection?.names ?? []);
    const question = { scope: records.scope, filter, fromMs, toMs, field };
    const found = await session.call('records/find-patterns', question);
    rows.push(...found.patterns.map((pattern) => [report, pattern, records.zone] as const));
    readCount += found.readCount;
    textRecordCount += found.textRecordCount;
    patternCount += found.patternCount;
    codes.push(judgeRecords(ownContext, records));
  }
  for (const [report, { pattern, count, sessionCount, clientCount, firstMs, lastMs, ...rest }] of rows) {
    await out.json({
      report,
      field,
      pattern,
      count,
      sessions: sessionCount,
      clients: clientCount,
      firstSeen: toIso(firstMs),
      lastSeen: toIso(lastMs),
      texts: rest.textCount,
      words: rest.words,
      example: rest.examples[0]?.text ?? '',
    });
  }
  if (rows.length > 0) {
    await out.table(
      ['direction', 'records', 'sessions', 'clients', 'first seen', 'last seen', 'pattern'],
      rows.map(([report, { pattern, count, sessionCount, clientCount, firstMs, lastMs }, zone]) => [
        report.replace('-detail', ''),
        count,
        sessionCount,
        clientCount,
        firstMs === null ? '' : formatRecordMoment(firstMs, zone),
        lastMs === null ? '' : formatRecordMoment(lastMs, zone),
        pattern,
      ]),
    );
  }
  if (readCount < textRecordCount)
    out.note(`${readCount} of ${textRecordCount} records were read, spread evenly: counts are of these.`);
  const more = patternCount - rows.length;
  await out.text(
    `${countWords(readCount, 'record')} in ${countWords(patternCount, 'pattern')}${more > 0 ? `, ${more} more are not listed` : ''}`,
  );
  return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
}

/** Lists the families of several connections, a row for each connection that has one. */
async function listShared(context: CommandContext, reports: readonly DetailKind[]): Promise<ExitCode> {
  const { out } = context;
  const session = await context.open();
  const connections = await findConnections(context, session);
  const { serviceZone } = connections[0];
  const { fromMs, toMs, zone } = readPeriod(context, serviceZone);
  noteDifferences(context, connections, { zone, hasTotals: true });
  const nameOf = new Map(connections.map(({ id, name }) => [id, name]));
  const filter = readQuery(context, zone, []);
  const codes: ExitCode[] = [];
  const rows: (string | number)[][] = [];
  let errors = 0;
  let unlisted = 0;
  for (const report of reports) {
    const connectionIds = connections.map(({ id }) => id);
    const question = { connectionIds, report, fromMs, toMs, filter };
    const found = await session.call('several/find-error-families', question);
    errors += found.connections.reduce((sum, { counts }) => sum + (counts?.errorCount ?? 0), 0);
    unlisted += found.familyCount - found.families.length;
    for (const { pattern, count: all, parts } of found.families)
      for (const { connectionId, count, sessionCount, clientCount, firstMs, lastMs } of parts) {
        const connection = nameOf.get(connectionId) ?? connectionId;
        await out.json({
          connection,
          connectionId,
          report,
          family: pattern,
          count,
          countOfAll: all,
          sessions: sessionCount,
          clients: clientCount,
          firstSeen: toIso(firstMs),
          lastSeen: toIso(lastMs),
        });
        rows.push([
          ...[report.replace('-detail', ''), connection, count, sessionCount, clientCount],
          ...[firstMs, lastMs].map((atMs) => (atMs === null ? '' : formatRecordMoment(atMs, zone))),
          pattern,
        ]);
      }
    for (const { id, name } of connections) {
      const own = {
        ...context,
        out: { ...out, note: (text: string) => out.note(`${name}, ${report}: ${text}`) },
      };
      const place = { connectionId: id, report, fromMs, toMs };
      codes.push(judgeMissing(own, await readMissing(session, place, context.now()), zone));
    }
  }
  if (rows.length > 0)
    await out.table(
      ['direction', 'connection', 'records', 'sessions', 'clients', 'first seen', 'last seen', 'family'],
      rows,
    );
  const more = unlisted > 0 ? `, ${unlisted} more families are not listed` : '';
  await out.text(`${countWords(errors, 'error')} in ${countWords(connections.length, 'connection')}${more}`);
  return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
}

export const errorsCommand: Command = {
  name: 'errors',
  summary: 'lists the errors of cached records by family',
  operands: '',
  maxOperands: 0,
  options: [
    ...CONNECTIONS_OPTIONS,
    ...RECORD_OPTIONS.filter(({ name }) => name !== 'snapshot' && name !== 'connection'),
    {
      name: 'field',
      value: 'FIELD',
      summary: 'the field whose texts are grouped (default: error)',
      choices: ['error', ...PATTERN_FIELDS],
    },
    { name: 'report', value: 'REPORT', summary: 'the report (default: both)', choices: DETAIL_KINDS },
    QUERY_OPTION,
    { name: 'family', value: 'FAMILY', summary: 'a family of the given report to change first' },
    { name: 'rename', value: 'NAME', summary: 'gives the family a name' },
    { name: 'merge-into', value: 'FAMILY', summary: 'merges it into another family' },
    {
      name: 'split-by',
      value: 'VARIABLE',
      summary: 'splits it by the values of a variable, such as host',
    },
    { name: 'split-text', value: 'TEXT', summary: 'splits off errors that contain a text' },
    { name: 'name', value: 'NAME', summary: 'the name for --split-text' },
    { name: 'undo', value: null, summary: "undoes the family's last change" },
  ],
  about: `A family is a group of errors that differ only in names, numbers and the like, which its pattern shows in angle
brackets. The 200 families with the most records are listed, with their sessions and clients.

--family changes one first, for this connection and report, in the window too. Filters, alerts and rules with its old
name keep working.

With several connections a family has a row for each. Counts can be added up, sessions and clients can't.

--field payload or response groups those texts instead, of at most 100,000 records, spread evenly; the last line says
how many were read.`,
  async run(context) {
    const { args, out } = context;
    checkConnections(context);
    readPeriod(context, 'UTC');
    readQuery(context, 'UTC', []);
    const reports = args.find('report') === null ? DETAIL_KINDS : [args.choose('report', DETAIL_KINDS)];
    const isChange = readWay(context) !== null;
    const field = args.find('field') === null ? 'error' : args.choose('field', ['error', ...PATTERN_FIELDS]);
    if (hasSeveral(context)) {
      if (isChange) throw toUsageError('--family is one of a connection: name one --connection.');
      if (field !== 'error') throw toUsageError('--field is of one connection: name one --connection.');
      return listShared(context, reports);
    }
    if (field !== 'error') {
      if (isChange) throw toUsageError('--family is one of errors: leave --field out.');
      return listPatterns(context, field);
    }
    const session = await context.open();
    if (isChange) await changeFamily(context, session);
    const found: [CommandContext, FoundRecords, DetailKind][] = [];
    for (const report of reports) {
      const own = toContextOf(context, report);
      found.push([own, await findRecords(own, session, DETAIL_KINDS), report]);
    }
    const rows: Row[] = [];
    const codes: ExitCode[] = [];
    let zone = 'UTC';
    let familyCount = 0;
    for (const [own, records, report] of found) {
      ({ zone } = records);
      const { fromMs, toMs } = readPeriod(context, zone);
      const filter = readQuery(context, zone, records.connection?.names ?? []);
      const question = { scope: records.scope, filter, fromMs, toMs };
      const listed = await session.call('records/find-error-families', question);
      rows.push(...listed.families.map((family) => ({ ...family, report })));
      familyCount += listed.familyCount;
      // Who asks for both may have only one of them.
      const endMs = Math.min(toMs, context.now());
      const isEmpty = (other: FoundRecords): boolean => isNothingCached(other, fromMs, endMs);
      if (isEmpty(records) && found.some(([, other]) => !isEmpty(other)))
        own.out.note('Nothing of the period is cached.');
      else codes.push(judgeRecords(own, records));
    }
    for (const { report, pattern, count, sessionCount, clientCount, firstMs, lastMs, ...family } of rows) {
      await out.json({
        report,
        family: pattern,
        count,
        sessions: sessionCount,
        clients: clientCount,
        firstSeen: toIso(firstMs),
        lastSeen: toIso(lastMs),
        channels: family.channels,
        services: family.services,
        responseCodes: family.responseCodes,
        texts: family.textCount,
        example: family.examples[0]?.text ?? '',
      });
    }
    if (rows.length > 0) {
      await out.table(
        ['direction', 'records', 'sessions', 'clients', 'first seen', 'last seen', 'family'],
        rows.map(({ report, pattern, count, sessionCount, clientCount, firstMs, lastMs }) => [
          report.replace('-detail', ''),
          count,
          sessionCount,
          clientCount,
          firstMs === null ? '' : formatRecordMoment(firstMs, zone),
          lastMs === null ? '' : formatRecordMoment(lastMs, zone),
          pattern,
        ]),
      );
    }
    const errors = rows.reduce((sum, { count }) => sum + count, 0);
    const more =
      familyCount > rows.length ? `, ${familyCount - rows.length} more families are not listed` : '';
    await out.text(`${countWords(errors, 'error')}${more}`);
    return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
  },
};
