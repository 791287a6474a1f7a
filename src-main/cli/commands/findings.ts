import { FINDING_KIND_ROWS, type FindingMeasure } from '../../common/model/analysis/finding-kinds.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import type { Finding, FindingsReport } from '../../common/model/analysis/finding.ts';
import { INCIDENT_STATES } from '../../common/model/analysis/incident.ts';
import { ENGLISH } from '../../common/words/words.ts';
import { writeNoticed } from '../../common/words/finding-words.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { EXIT } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  checkConnections,
  CONNECTIONS_OPTIONS,
  findConnections,
  noteDifferences,
} from '../session/find-connections.ts';
import { createQueryClock } from '../../common/query/query-values.ts';
import { writeQuery } from '../../common/query/write-query.ts';
import { PERIOD_OPTIONS, readPeriod, readZone } from '../words/options.ts';
import type { Command, CommandContext } from '../words/command.ts';

const writeShare = (value: number): string => `${(value * 100).toFixed(1)} %`;
const MEASURES: Readonly<Record<FindingMeasure, (value: number) => string>> = {
  outage: writeShare,
  failing: writeShare,
  family: writeShare,
  times: (value) => `${Math.round(value)} ms`,
  volume: (value) => String(Math.round(value)),
};

/** Shares as per cent, times in milliseconds, and numbers of requests. */
function writeMeasure({ kind }: Finding, value: number): string {
  return MEASURES[FINDING_KIND_ROWS[kind].measure](value);
}

export const findingsCommand: Command = {
  name: 'findings',
  summary: 'lists what stands out now, or stood out in a period',
  operands: '',
  maxOperands: 0,
  options: [
    ...CONNECTIONS_OPTIONS,
    ...PERIOD_OPTIONS,
    {
      name: 'resolved',
      value: null,
      summary: 'include findings that ended in the last 24 hours; a period always does',
    },
  ],
  about: `With --from and --to, days are compared with the days before them only. Without them it lists what stands out now.`,
  async run(context) {
    const { args, out } = context;
    checkConnections(context);
    const session = await context.open();
    const connections = await findConnections(context, session);
    const { serviceZone } = connections[0];
    const zone = readZone(context, serviceZone);
    const hasPeriod = args.find('from') !== null || args.find('to') !== null;
    const period = hasPeriod ? readPeriod(context, serviceZone) : null;
    noteDifferences(context, connections, { zone });
    const rows: Cells[] = [];
    const ends: End[] = [];
    for (const connection of connections) {
      const { findings, resolved, ...known } = await session.call('findings/list', {
        connectionId: connection.id,
        ...(period === null ? {} : { period: { fromMs: period.fromMs, toMs: period.toMs } }),
      });
      const shown = args.has('resolved') || hasPeriod ? [...findings, ...resolved] : findings;
      const own = toOwn(connections, connection);
      for (const finding of shown) await out.json({ ...own.json, ...toJson(finding, zone) });
      rows.push(...shown.map((finding) => [...own.cells, ...toCells(finding, zone)]));
      ends.push({ ...own, ...known, what: countWords(shown.length, 'finding') });
    }
    if (rows.length > 0) await out.table([...toOwnColumns(connections), ...COLUMNS], rows);
    for (const end of ends) await writeEnd(context, end, zone);
    return EXIT.done;
  },
};

export const incidentsCommand: Command = {
  name: 'incidents',
  summary: 'lists what went wrong in a period, with names and recurrences',
  operands: '',
  maxOperands: 0,
  options: [
    ...CONNECTIONS_OPTIONS,
    ...PERIOD_OPTIONS,
    { name: 'state', value: 'STATE', summary: 'only these', choices: INCIDENT_STATES },
  ],
  about: `Each has a name, note and state, and a part for each time it occurred. "came-back" means that it recurred at the same
place with the same errors within a week, and is over.`,
  async run(context) {
    const { args, out } = context;
    checkConnections(context);
    const session = await context.open();
    const connections = await findConnections(context, session);
    const { serviceZone } = connections[0];
    const zone = readZone(context, serviceZone);
    const { fromMs, toMs } = readPeriod(context, serviceZone);
    noteDifferences(context, connections, { zone });
    const state = args.find('state');
    const rows: Cells[] = [];
    const ends: End[] = [];
    for (const connection of connections) {
      const { incidents, ...known } = await session.call('incidents/list', {
        connectionId: connection.id,
        period: { fromMs, toMs },
      });
      const shown = incidents.filter((incident) => state === null || incident.state === state);
      const own = toOwn(connections, connection);
      for (const { parts, ...incident } of shown)
        await out.json({ ...own.json, ...incident, parts: parts.map((part) => toJson(part, zone)) });
      for (const { state: of, name, parts } of shown)
        rows.push(...parts.map((part) => [...own.cells, of, name, ...toCells(part, zone)]));
      ends.push({ ...own, ...known, what: countWords(shown.length, 'incident') });
    }
    if (rows.length > 0) await out.table([...toOwnColumns(connections), 'state', 'name', ...COLUMNS], rows);
    for (const end of ends) await writeEnd(context, end, zone);
    return EXIT.done;
  },
};

type Cells = (string | number | null)[];

/** What is written of one connection at the end. */
interface End extends Pick<FindingsReport, 'untilMs' | 'gaps' | 'noticed'> {
  readonly what: string;
  readonly prefix: string;
}

const toOwnColumns = ({ length }: readonly Connection[]): string[] => (length > 1 ? ['connection'] : []);

/** With what rows of several connections say which one they are of; nothing where there is one. */
function toOwn(connections: readonly Connection[], { id, name }: Connection) {
  return connections.length > 1
    ? { json: { connection: name, connectionId: id }, cells: [name], prefix: `${name}: ` }
    : { json: {}, cells: [], prefix: '' };
}

const COLUMNS = [
  ...['what', 'since', 'ended', 'direction', 'channel', 'service', 'within', 'requests'],
  ...['sessions', 'clients', 'now', 'usual', 'errors'],
];

/** A finding with its times as ISO 8601, and the query that shows its records. */
function toJson({ filter, sinceMs, endedMs, untilMs, ...finding }: Finding, zone: string): object {
  return {
    ...finding,
    since: new Date(sinceMs).toISOString(),
    ended: endedMs === null ? null : new Date(endedMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    size: finding.count,
    sessions: finding.sessionCount,
    clients: finding.clientCount,
    query: writeQuery(filter, createQueryClock(zone)),
  };
}

function toCells(finding: Finding, zone: string): (string | number | null)[] {
  return [
    FINDING_KIND_ROWS[finding.kind].name,
    formatMoment(finding.sinceMs, zone),
    finding.endedMs === null ? '' : formatMoment(finding.endedMs, zone),
    finding.directions.join(', '),
    finding.channel,
    finding.service,
    finding.within.map(({ field, value }) => `${field} ${value}`).join(', '),
    finding.requests,
    finding.sessionCount,
    finding.clientCount,
    writeMeasure(finding, finding.recent),
    writeMeasure(finding, finding.usual),
    finding.errorFamily ?? '',
  ];
}

/** How many were found up to when, how large what was not would have been, and what could not be judged. */
async function writeEnd(
  { out }: Pick<CommandContext, 'out'>,
  { what, prefix, untilMs, gaps, noticed }: End,
  zone: string,
): Promise<void> {
  const end =
    untilMs === null ? 'nothing is cached in full' : `up to ${formatMoment(untilMs, zone)} (${zone})`;
  await out.text(`${prefix}${what}, ${end}`);
  const sizes = writeNoticed(noticed, { ...ENGLISH, toText: (_field, value) => String(value) });
  if (sizes !== '') out.note(`${prefix}Nothing stands out. ${sizes}`);
  for (const { direction, reason, fromMs, toMs } of gaps) {
    const span = `${formatMoment(fromMs, zone)} to ${formatMoment(toMs, zone)}`;
    const why =
      reason === 'not-cached' ? 'is not cached in full' : 'has too little before it to compare with';
    out.note(`${prefix}Not checked: ${direction}, ${span} ${why}.`);
  }
}
