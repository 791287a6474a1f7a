import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { createFamilyLearner } from '../../src-main/core/analysis/families/learn-families.ts';
import { measure, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';

const BENCH = 'families';
const FOLD_GOAL_MS = 10_000;
/** Records of one text, on average. */
const REPEATED = 5;
/** Records of a batch, after which the engine settles what is new. */
const BATCH = 122_880;

/** Scores the families of a corpus; without one, measures how long the errors of many records take to fold. */
export async function* benchFamilies({ size, corpus, shuffle }: BenchOptions): AsyncGenerator<BenchFigure> {
  if (corpus === undefined) {
    const texts = createTexts(size);
    const { ms } = await measure(() => learn(texts));
    const distinct = new Set(texts).size.toLocaleString('en');
    yield toTimeFigure(
      BENCH,
      `folding ${size.toLocaleString('en')} errors, ${distinct} distinct`,
      ms,
      FOLD_GOAL_MS,
    );
    return;
  }
  const names = (await readdir(corpus)).filter((name) => /\.csv(?:\.gz)?$/.test(name)).sort();
  if (names.length === 0) throw new Error(`${corpus} holds no *.csv and no *.csv.gz.`);
  const values: number[] = [];
  for (const name of names) {
    const lines = await readSet(join(corpus, name));
    if (shuffle !== undefined) shuffleAll(lines, createChance(shuffle));
    const value = score(lines);
    values.push(value);
    yield toShareFigure(`grouping accuracy: ${name.replace(/\.csv(?:\.gz)?$/, '')}`, value);
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  yield toShareFigure('mean grouping accuracy', mean);
}

const toShareFigure = (figure: string, value: number): BenchFigure => ({
  ...{ bench: BENCH, figure, value, unit: 'share' },
  ...{ peer: null, peerValue: null, ratio: null, goal: null, met: null },
});

/** The family of each text, once all of them have been seen. */
function learn(texts: readonly string[]): string[] {
  const learner = createFamilyLearner();
  for (const [place, text] of texts.entries()) {
    learner.find(text);
    if (place % BATCH === BATCH - 1) learner.settle();
  }
  learner.settle();
  return texts.map((text) => learner.find(text));
}

interface LabelledLine {
  readonly content: string;
  readonly event: string;
  /** Seen like the others, but with no one right family. */
  readonly isSkipped: boolean;
}

async function readSet(file: string): Promise<LabelledLine[]> {
  const bytes = await readFile(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const rows = parse<Record<string, string | undefined>>(text, { columns: true, relax_column_count: true });
  return rows.map(({ Content: content, EventId: event, Skip: skip = '' }) => {
    if (content === undefined || event === undefined)
      throw new Error(`${file} lacks the column Content or EventId.`);
    return { content, event, isSkipped: skip !== '' };
  });
}

/** The share of lines whose family holds exactly the lines with their label. */
function score(lines: readonly LabelledLine[]): number {
  const families = learn(lines.map(({ content }) => content));
  const scored = lines
    .map(({ event, isSkipped }, place) => ({ event, isSkipped, family: families[place] ?? '' }))
    .filter(({ isSkipped }) => !isSkipped);
  const truth = Map.groupBy(scored, ({ event }) => event);
  let right = 0;
  for (const own of Map.groupBy(scored, ({ family }) => family).values()) {
    const [first] = own;
    const isPure = own.every(({ event }) => event === first?.event);
    if (isPure && truth.get(first?.event ?? '')?.length === own.length) right += own.length;
  }
  return right / scored.length;
}

/** Draws whole numbers below a limit, the same ones for the same seed. */
function createChance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffleAll(list: unknown[], draw: (below: number) => number): void {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = draw(last + 1);
    [list[last], list[other]] = [list[other], list[last]];
  }
}

const NAMES = ['Ana de la Fuente', 'Zoe Ostergard', 'Ibrahim', 'Mary Ann Lee', 'Jo', "Sean O'Neill"];
const TEMPLATES: readonly ((id: number, name: string) => string)[] = [
  (id) => `Service ${id % 97} did not answer within ${id} ms`,
  (id, name) => `User ${name} not found in tenant ${id}`,
  (id) => `connect ECONNREFUSED 10.${id % 250}.${(id >> 8) % 250}.7:${1024 + (id % 60_000)}`,
  (id) => `POST https://api${id % 9}.example.com/v1/messages/${id} failed with status code ${500 + (id % 4)}`,
  (id, name) =>
    `{"error":{"message":"Rate of ${name} is over ${id} a minute","type":"limit","code":"rate_limited","trace":"${id.toString(16)}f0a1"}}`,
  (id) =>
    `{"errors":[{"errorCode":"TEMPLATE_PAUSED","message":"Template t_${id} is paused until 2026-11-${10 + (id % 20)}T10:00:00Z"}]}`,
  (id) =>
    `System.TimeoutException: No answer in ${id} ms\r\n   at Connector.Send(Message m) in /src/connector/send.cs:line ${id % 900}\r\n   at Connector.Run()`,
  (id) => `ERROR 1062 (23000): Duplicate entry '${id}' for key 'orders.PRIMARY'`,
  (id, name) => `El cliente ${name} superó el límite de ${id},50 EUR el 20.11.2026`,
  (id) => `Could not write /var/lib/connector/${id}/out.pdf: no space left on device`,
];

/** Errors in a random order, five of each text. */
function createTexts(count: number): string[] {
  const draw = createChance(7);
  const distinct = Array.from({ length: Math.ceil(count / REPEATED) }, (_none, place) => {
    const write = TEMPLATES[place % TEMPLATES.length];
    return write?.(place, NAMES[place % NAMES.length] ?? '') ?? '';
  });
  const texts = Array.from({ length: count }, (_none, place) => distinct[place % distinct.length] ?? '');
  shuffleAll(texts, draw);
  return texts;
}
