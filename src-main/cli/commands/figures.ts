import { AppError, type ErrorCode, toErrorInfo } from '../../common/contract/errors.ts';
import { type PlaceTimes, TIME_PARTS, type TimeRise } from '../../common/model/records/conversation.ts';
import { DETAIL_KINDS, REPORT_KINDS, SUMMARY_KINDS, toDetailKind } from '../../common/reporting/reports.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { EXIT, type ExitCode, toCommandError } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  prepareConnection,
  SECRET_OPTIONS,
} from '../session/find-connections.ts';
import {
  checkRecordOptions,
  findRecords,
  findReported,
  type FoundRecords,
  GAPS_OPTION,
  judgeMissing,
  judgeRecords,
  readMissing,
  RECORD_OPTIONS,
} from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import type { Command, CommandContext } from '../words/command.ts';
import { PERIOD_OPTIONS, QUERY_OPTION, readPeriod, readQuery } from '../words/options.ts';

export const statusCommand: Command = {
  name: 'status',
  summary: 'shows the status of platform and connector',
  operands: '',
  maxOperands: 0,
  options: [CONNECTION_OPTION, ...SECRET_OPTIONS],
  async run(context) {
    const { out } = context;
    context.args.require('connection');
    const session = await context.open();
    const connection = await prepareConnection(context, session);
    const sample = await session.call('status/refresh', { connectionId: connection.id });
    const { platform, connector, sessions, internalResponseTimeMs, roundTripMs, failure, checkedAtMs } =
      sample;
    if (failure !== null) {
      const error = new AppError(failure as ErrorCode, `The status could not be read (${failure}).`);
      throw toCommandError(toErrorInfo(error));
    }
    const traffic = sample.traffic.map((group) => ({
      division: group.Division,
      channel: group.Channel,
      service: group.Service,
      sessions: group.Sessions,
    }));
    const checkedAt = new Date(checkedAtMs).toISOString();
    await out.json({
      platform,
      connector,
      sessions,
      internalResponseTimeMs,
      roundTripMs,
      checkedAt,
      traffic,
    });
    await out.table(
      ['', ''],
      [
        ['platform', platform],
        ['connector', connector],
        ['sessions', sessions === null ? '' : String(sessions)],
        ['internal response time', internalResponseTimeMs === null ? '' : `${internalResponseTimeMs} ms`],
        ['checked', `${formatMoment(checkedAtMs, connection.serviceZone)} (${connection.serviceZone})`],
      ],
    );
    return EXIT.done;
  },
};

const FIELDS = ['channel', 'service', 'time'] as const;
const PART_WORDS: Readonly<Record<TimeRise['part'], string>> = {
  before: 'before the connector',
  inside: 'in the bot',
  service: 'in the queried service',
  outside: 'beside messages',
};

const toSeconds = (ms: number): number => Math.round(ms) / 1000;

function toWords(rise: TimeRise, zone: string): string {
  const isOfMessages = rise.part === 'before' || rise.part === 'inside';
  const until = rise.toMs === null ? '' : ` until ${formatMoment(rise.toMs, zone)}`;
  return (
    `${rise.field} ${rise.value ?? 'without a number'}, ${PART_WORDS[rise.part]}: ${Math.round(rise.usualMs)} ms, ` +
    `then ${Math.round(rise.risenMs)} ms for each ${isOfMessages ? 'message' : 'request'}, ` +
    `since ${formatMoment(rise.fromMs, zone)}${until} (${zone})`
  );
}

export const timesCommand: Command = {
  name: 'times',
  summary: 'shows where the time of conversations went, and what slowed down first',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    ...PERIOD_OPTIONS,
    { name: 'by', value: 'FIELD', summary: 'a line per value (service)', choices: FIELDS },
    { ...QUERY_OPTION, summary: 'only conversations with a matching record: "service:7"' },
    GAPS_OPTION,
  ],
  about: `Times are in seconds; each moment of a conversation counts once. Conversations that may have an uncached part are
counted apart. Below is what slowed down in the period, in order of time.`,
  async run(context) {
    const { args, out, now } = context;
    const wanted = args.require('connection');
    readPeriod(context, 'UTC');
    readQuery(context, 'UTC', []);
    const field = args.find('by') === null ? 'service' : args.choose('by', FIELDS);
    const session = await context.open();
    const { id: connectionId, serviceZone, names = [] } = await findConnection(session, wanted);
    const { fromMs, toMs, zone } = readPeriod(context, serviceZone);
    const filter = readQuery(context, zone, names);
    const order = { column: 'start', descending: false } as const;
    const { viewId } = await session.call('conversations/open', {
      connectionId,
      fromMs,
      toMs,
      filter,
      order,
    });
    const times = await session.call('conversations/read-times', { viewId, zone });
    await session.call('conversations/close', { viewId });
    const toRow = (name: string | number, own: Pick<PlaceTimes, 'messages' | 'requests' | 'parts'>) => [
      name,
      own.messages,
      own.requests,
      ...TIME_PARTS.map((_part, place) => toSeconds(own.parts[place] ?? 0)),
    ];
    const rows =
      field === 'time'
        ? times.steps.map((step) => toRow(formatMoment(step.fromMs, zone), step))
        : (field === 'channel' ? times.channels : times.services).map((one) => toRow(one.value ?? '', one));
    await out.table([field, 'messages', 'requests', ...TIME_PARTS], rows);
    const { conversations, messages, requests, parts, cut, channels, services, steps, rises } = times;
    const partNames = [...TIME_PARTS];
    const places = { channels, services, steps };
    await out.json({ conversations, messages, requests, partNames, parts, cut, rises, ...places });
    const apart =
      cut.conversations === 0
        ? ''
        : `; ${countWords(cut.conversations, 'conversation')} with a part that may not be cached not counted`;
    await out.text(`${countWords(conversations, 'conversation')}${apart}`);
    for (const [place, rise] of rises.entries())
      await out.text(`${place === 0 ? 'Slow first: ' : 'Then: '}${toWords(rise, zone)}`);
    const codes: ExitCode[] = [];
    for (const report of DETAIL_KINDS) {
      const missing = await readMissing(session, { connectionId, report, fromMs, toMs }, now());
      const own = { ...context, out: { ...out, note: (text: string) => out.note(`${report}: ${text}`) } };
      codes.push(judgeMissing(own, missing, zone));
    }
    return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
  },
};

async function findOfRecords(context: CommandContext, session: Session): Promise<FoundRecords> {
  if (context.args.find('snapshot') !== null) return findRecords(context, session, DETAIL_KINDS);
  const report = toDetailKind(context.args.choose('report', REPORT_KINDS));
  const args = { ...context.args, choose: () => report as never };
  return findRecords({ ...context, args }, session, DETAIL_KINDS);
}

export const summaryCommand: Command = {
  name: 'summary',
  summary: 'shows a summary as reported by the service, or computed from cached records',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: SUMMARY_KINDS },
    { name: 'computed', value: null, summary: 'compute it from cached detail records' },
  ],
  async run(context) {
    const { args, out } = context;
    checkRecordOptions(context);
    if (args.find('snapshot') === null) args.choose('report', REPORT_KINDS);
    const session = await context.open();
    const found = args.has('computed') ? await findOfRecords(context, session) : null;
    const summary =
      found === null
        ? await session.call('summaries/read', { snapshotId: await findReported(context, session) })
        : await session.call('summaries/compute', found.scope);
    const { groups } = summary;
    for (const group of groups) {
      await out.json({ ...group, source: summary.source });
    }
    await out.table(
      ['channel', 'service', 'origin', 'code', 'requests', 'response ms', 'bot ms'],
      groups.map((group) => [
        group.channel,
        group.service,
        group.origin,
        group.responseCode,
        group.count,
        round(group.averageResponseTimeMs),
        round(group.averageBotLatencyMs),
      ]),
    );
    await out.text(`${countWords(summary.requestCount, 'request')}, ${summary.source}`);
    if (found !== null) return judgeRecords(context, found);
    const { state } = await session.call('snapshots/get', { snapshotId: summary.snapshotId ?? 0 });
    if (state === 'complete') return EXIT.done;
    out.note('Incomplete: the summary did not arrive to its end.');
    return args.has('allow-gaps') ? EXIT.done : EXIT.incomplete;
  },
};

function round(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
