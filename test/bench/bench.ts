import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAnalysis } from './analysis.ts';
import { benchAnomalies } from './anomalies.ts';
import { benchBodies } from './bodies.ts';
import { benchConnections } from './connections.ts';
import { benchConversations } from './conversations.ts';
import type { BenchFigure, BenchOptions } from './figure.ts';
import { benchDownload } from './download.ts';
import { benchExplore } from './explore.ts';
import { benchExport } from './export.ts';
import { benchFamilies } from './families.ts';
import { benchFollow } from './follow.ts';
import { benchImport } from './import.ts';
import { benchIncidents } from './incidents.ts';
import { benchRecords } from './records.ts';
import { benchRules } from './rules.ts';
import { benchService } from './service.ts';
import { benchStart } from './start.ts';
import { benchWindow } from './window.ts';

type Bench = (options: BenchOptions) => Promise<BenchFigure[]> | AsyncGenerator<BenchFigure>;

/** Every bench by name: a size in records, figures out, all at the end or as they are measured. */
const BENCHES: Readonly<Record<string, Bench>> = {
  analysis: benchAnalysis,
  anomalies: benchAnomalies,
  bodies: benchBodies,
  connections: benchConnections,
  conversations: benchConversations,
  download: benchDownload,
  explore: benchExplore,
  export: benchExport,
  families: benchFamilies,
  follow: benchFollow,
  import: benchImport,
  incidents: benchIncidents,
  records: benchRecords,
  rules: benchRules,
  service: benchService,
  start: benchStart,
  window: benchWindow,
};
const DEFAULT_SIZE = 200_000;
/** Where a goal is stated for another size. */
const OWN_SIZES: Readonly<Record<string, number>> = {
  analysis: 1_000_000,
  bodies: 1_000_000,
  connections: 1_000_000,
  conversations: 10_000_000,
  download: 1_000_000,
  explore: 1_000_000,
  export: 1_000_000,
  families: 1_000_000,
  import: 1_000_000,
  incidents: 10_000_000,
  follow: 360_000,
  rules: 10_000_000,
  start: 2_000_000,
};

const OPTIONS = {
  help: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  size: { type: 'string' },
  cache: { type: 'string' },
  database: { type: 'string' },
  corpus: { type: 'string' },
  shuffle: { type: 'string' },
  latency: { type: 'string' },
  'page-size': { type: 'string' },
} as const;

const toUsage = (): string =>
  `Usage: npm run bench [-- NAME] [--json] [--size N] [--cache FOLDER] [--database postgres] [--latency MS] [--page-size N] [--corpus FOLDER] [--shuffle N]; names: ${Object.keys(BENCHES).join(', ')}
--cache keeps what analysis, bodies, conversations, explore, export, incidents, rules, window and start have filled, for the next time.
--database postgres measures service on PostgreSQL, beside SQLite.
--latency adds milliseconds to each response, and --page-size says how many records a page has, in download.
--corpus scores families on labelled sets, *.csv or *.csv.gz with the columns Content, EventId and perhaps Skip;
  and anomalies on labelled records, *.truth.json beside *.ndjson or *.ndjson.gz.`;

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return null;
  }
}

async function run(): Promise<void> {
  const read = readArguments();
  if (read === null || read.values.help) {
    console.error(toUsage());
    process.exitCode = read === null ? 2 : 0;
    return;
  }
  const { values, positionals } = read;
  const size = Number(values.size ?? DEFAULT_SIZE);
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
  const unknown = names.filter((name) => !(name in BENCHES));
  const [latencyMs, pageSize] = [values.latency, values['page-size']].map((text) =>
    text === undefined ? undefined : Number(text),
  );
  const isNumber = (value: number | undefined): boolean =>
    value === undefined || (Number.isInteger(value) && value > 0);
  const isKnownDatabase = values.database === undefined || values.database === 'postgres';
  if (unknown.length > 0 || !isKnownDatabase || ![size, latencyMs, pageSize].every(isNumber)) {
    console.error(toUsage());
    process.exitCode = 2;
    return;
  }
  if (!values.json) printMachine(size);
  for (const name of names) {
    const bench = BENCHES[name];
    if (bench === undefined) continue;
    const own = values.size === undefined ? (OWN_SIZES[name] ?? size) : size;
    // Pages that are waited for make a million records slow.
    const most = latencyMs === undefined || values.size !== undefined ? own : DEFAULT_SIZE;
    const { cache: folder, database, corpus } = values;
    const shuffle = values.shuffle === undefined ? undefined : Number(values.shuffle);
    const options = { size: most, folder, database, latencyMs, pageSize, corpus, shuffle };
    for await (const figure of await bench(options)) {
      console.log(values.json ? JSON.stringify({ ...figure, size: most }) : toLine(figure));
      if (figure.met === false) process.exitCode = 1;
    }
  }
}

function printMachine(size: number): void {
  const [cpu] = cpus();
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  console.log(
    `${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${memoryGib} GiB, Node ${process.version}`,
  );
  console.log(`${size.toLocaleString('en')} records\n`);
  console.log(
    ['figure'.padEnd(40), 'value'.padStart(20), 'peer'.padStart(14), 'ratio'.padStart(8), 'goal'].join(' '),
  );
}

function toLine(figure: BenchFigure): string {
  const write = (value: number): string =>
    value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 });
  const goal = figure.goal === null ? '' : `${write(figure.goal)} ${figure.met === true ? 'met' : 'MISSED'}`;
  return [
    figure.figure.padEnd(40),
    `${write(figure.value)} ${figure.unit}`.padStart(20),
    (figure.peerValue === null ? '' : write(figure.peerValue)).padStart(14),
    (figure.ratio === null ? '' : figure.ratio.toFixed(2)).padStart(8),
    `  ${goal}`,
    figure.peer === null ? '' : `(${figure.peer})`,
  ].join(' ');
}

await run();
