import { TIME_PARTS, type PlaceTimes, type TimeRise } from '../../common/model/records/conversation-times.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import { GAPS_OPTION, judgeMissing, readMissing } from '../session/find-records.ts';
import type { Command } from '../words/command.ts';
import { PERIOD_OPTIONS, readPeriod } from '../words/period-options.ts';
import { QUERY_OPTION, readQuery } from '../words/query-option.ts';

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
