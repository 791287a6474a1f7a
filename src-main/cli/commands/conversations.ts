import { CONVERSATION_COLUMNS, toConversationCells } from '../../common/exports/conversation-cells.ts';
import { CONVERSATION_OUTCOMES, type Conversation } from '../../common/model/records/conversation.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { formatMoment, formatRecordMoment } from '../../common/time/format-moment.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import { GAPS_OPTION, judgeMissing, readMissing } from '../session/find-records.ts';
import type { Command } from '../words/command.ts';
import { PERIOD_OPTIONS, readPeriod } from '../words/period-options.ts';
import { QUERY_OPTION, readQuery } from '../words/query-option.ts';

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
