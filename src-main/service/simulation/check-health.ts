import { Type } from 'typebox';
import { Value } from 'typebox/value';

export type HealthAnswer = 'up' | 'down';

/** What a health address said of what it stands for. */
export interface HealthReport {
  readonly state: HealthAnswer;
  /** What it said of the connector besides; null for nothing. */
  readonly connector: HealthAnswer | null;
  /** Why it is not up; empty where it is. Nothing that was sent or received. */
  readonly reason: string;
}

export interface HealthCheckOptions {
  readonly url: string;
  /** It is asked no more often than this. */
  readonly everyMs: number;
  /** It has to answer within this. */
  readonly withinMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
  /** Takes the first answer, and each that differs from the one before. */
  readonly onChange: (report: HealthReport) => void;
}

/** Words of health endpoints for something that can be used. Any other is not up. */
const UP_WORDS: ReadonlySet<string> = new Set([
  'up',
  'ok',
  'pass',
  'warn',
  'healthy',
  'available',
  'operational',
  'true',
]);
const MAX_BODY_BYTES = 65_536;

const Words = Type.Object({
  status: Type.Optional(Type.Unknown()),
  platform: Type.Optional(Type.Unknown()),
  connector: Type.Optional(Type.Unknown()),
});

/**
 * Returns what asks a health address: up only where it answers with a status of success in time, and its body doesn't
 * say otherwise. Calls within `everyMs` share an answer, and those at once a request.
 */
export function createHealthCheck(options: HealthCheckOptions): () => Promise<HealthReport> {
  const { elapsedMs, everyMs, onChange } = options;
  let askedMs = -Infinity;
  let asked: Promise<HealthReport> | null = null;
  let before: HealthReport | null = null;
  const ask = async (): Promise<HealthReport> => {
    const report = await askHealth(options);
    const isOther = report.state !== before?.state || report.reason !== before.reason;
    before = report;
    if (isOther) onChange(report);
    return report;
  };
  return () => {
    if (asked === null || elapsedMs() - askedMs >= everyMs) {
      askedMs = elapsedMs();
      asked = ask();
    }
    return asked;
  };
}

async function askHealth({ url, withinMs }: HealthCheckOptions): Promise<HealthReport> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    // A page to sign in at is not what was asked for.
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: { accept: 'application/json' },
    });
    const report = toReport(await readText(response));
    return response.ok ? report : { ...report, state: 'down', reason: `status ${response.status}` };
  } catch {
    return { state: 'down', connector: null, reason: signal.aborted ? 'no answer in time' : 'not reached' };
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A body that is no JSON object says only that there was an answer. */
function toReport(text: string): HealthReport {
  const words = parseWords(text);
  const said = words.platform ?? words.status;
  const isUp = said === undefined || toState(said) === 'up';
  return {
    state: isUp ? 'up' : 'down',
    connector: words.connector === undefined ? null : toState(words.connector),
    reason: isUp ? '' : 'its answer says so',
  };
}

function parseWords(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Words, value) ? value : {};
  } catch {
    return {};
  }
}

function toState(word: unknown): HealthAnswer {
  return UP_WORDS.has(String(word).toLowerCase()) ? 'up' : 'down';
}
