import {
  listHistory,
  type FamilyAct,
  type FamilyChange,
} from '../../common/model/connections/family-changes.ts';
import type { ErrorFamily } from '../../common/model/records/error-family.ts';
import { DETAIL_KINDS, type DetailKind } from '../../common/reporting/reports.ts';
import { formatRecordMoment } from '../../common/time/format-moment.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { findConnection } from '../session/find-connection.ts';
import { findRecords, judgeRecords, RECORD_OPTIONS, type FoundRecords } from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { toUsageError } from '../words/arguments.ts';
import type { Command, CommandContext } from '../words/command.ts';
import { readPeriod } from '../words/period-options.ts';
import { QUERY_OPTION, readQuery } from '../words/query-option.ts';

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

/** What is to be done to the family that the command names; null where it names none. */
function readChange(
  { args }: CommandContext,
  changes: readonly FamilyChange[],
): FamilyAct | { readonly undone: FamilyChange | undefined } | null {
  const family = args.find('family');
  const [name, into] = [args.find('rename'), args.find('merge-into')];
  const ways = [name !== null, into !== null, args.has('undo')].filter((isChosen) => isChosen).length;
  if (family === null) {
    if (ways > 0) throw toUsageError('--rename, --merge-into and --undo need --family.');
    return null;
  }
  if (ways !== 1) throw toUsageError('--family needs one of --rename, --merge-into and --undo.');
  args.choose('report', DETAIL_KINDS);
  if (name !== null) return { kind: 'rename', family, name };
  if (into !== null) return { kind: 'merge', family, into };
  return { undone: listHistory(changes, family)[0] };
}

async function changeFamily(context: CommandContext, session: Session): Promise<void> {
  const connection = await findConnection(session, context.args.require('connection'));
  const direction = context.args.choose('report', DETAIL_KINDS).startsWith('inbound')
    ? 'inbound'
    : 'outbound';
  const change = readChange(context, connection.families?.[direction] ?? []);
  const place = { connectionId: connection.id, direction, wait: true } as const;
  if (change === null) return;
  if ('kind' in change) await session.call('families/change', { ...place, act: change });
  else if (change.undone === undefined)
    throw new CommandError(EXIT.notFound, 'Nobody has changed the family.');
  else await session.call('families/undo', { ...place, changeId: change.undone.id });
}

export const errorsCommand: Command = {
  name: 'errors',
  summary: 'lists the errors of cached records by family',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS.filter(({ name }) => name !== 'snapshot'),
    { name: 'report', value: 'REPORT', summary: 'the report; left out, both', choices: DETAIL_KINDS },
    QUERY_OPTION,
    { name: 'family', value: 'FAMILY', summary: 'a family to change first, of the report given' },
    { name: 'rename', value: 'NAME', summary: 'gives the family a name' },
    { name: 'merge-into', value: 'FAMILY', summary: 'makes it part of another family' },
    { name: 'undo', value: null, summary: 'takes the last change of the family back' },
  ],
  about: `A family are errors that say the same but for names, numbers and the like: its pattern has words in
angle brackets in their place. The 200 families with the most records are listed, with the
sessions and clients that their records name.

With --family one is renamed, merged or taken back first, for this connection and report, in the window
too. Filters, alerts and rules that name a family by what it was called before go on to mean it.`,
  async run(context) {
    const { args, out } = context;
    args.require('connection');
    readPeriod(context, 'UTC');
    readQuery(context, 'UTC', []);
    const reports = args.find('report') === null ? DETAIL_KINDS : [args.choose('report', DETAIL_KINDS)];
    const isChange = readChange(context, []) !== null;
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
