import { arch, platform, release } from 'node:os';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input, OperationName, Output } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import type { NamedFiles } from '../../common/control/control-messages.ts';
import type { SqlOutcome } from '../../common/model/records/sql.ts';
import { toWireDate } from '../../common/reporting/wire-documents.ts';
import { HOUR_MS, SECOND_MS } from '../../common/time/durations.ts';
import { toErrorText } from '../../node/error-text.ts';
import { writeFileAtomically } from '../../node/files.ts';

/** Whether something works here; `not-here` is what this host or this computer has not. */
export interface SelfTestStep {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not-here';
  /** What was seen, or why it failed. */
  readonly said: string;
  readonly tookMs: number;
}

export interface SelfTestReport {
  readonly version: string;
  readonly host: 'desktop' | 'web';
  readonly system: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly startedAt: string;
  readonly isPassed: boolean;
  readonly steps: readonly SelfTestStep[];
}

/** What a step finds; throws where it fails. */
export type StepRun = () => Promise<string> | string;

/** Thrown by a step for what this host or this computer has not, with the reason. */
export class NotHere extends Error {}

/** The application that is tested, through its own door. */
export interface TestedCore {
  call(name: string, input: unknown): Promise<Envelope<unknown>>;
  withFiles<Result>(files: NamedFiles, run: () => Promise<Result>): Promise<Result>;
}

/** A step that hangs is one that fails. */
const MAX_STEP_MS = 120_000;
const HOURS = 2;

/** Runs one step, and says what came of it. Never rejects. */
export async function runStep(name: string, run: StepRun, maxMs = MAX_STEP_MS): Promise<SelfTestStep> {
  const startedMs = performance.now();
  const end = (outcome: SelfTestStep['outcome'], said: string): SelfTestStep => ({
    name,
    outcome,
    said,
    tookMs: Math.round(performance.now() - startedMs),
  });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`It took longer than ${maxMs / 1000} s.`)), maxMs);
  try {
    return end('passed', await Promise.race([Promise.resolve().then(run), late.promise]));
  } catch (error) {
    return error instanceof NotHere ? end('not-here', error.message) : end('failed', toErrorText(error));
  } finally {
    clearTimeout(timer);
  }
}

/** The steps that any host has: parts, a download from the built-in service, and files of it, in `folder`. */
export function listCoreSteps(
  core: TestedCore,
  { folder, now }: { readonly folder: string; readonly now: () => number },
): readonly (readonly [name: string, run: StepRun])[] {
  const toMs = Math.floor(now() / SECOND_MS) * SECOND_MS;
  const fromMs = toMs - HOURS * HOUR_MS;
  const ask = async <Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return answer.value as Output<Name>;
  };
  const finish = async (taskId: string): Promise<void> => {
    const { state, error } = await ask('tasks/wait', { taskId });
    if (state !== 'done')
      throw new Error(`The task ended as ${state}${error === null ? '' : `: ${error.code}`}.`);
  };
  let connectionId = '';
  let snapshotId = 0;
  let records = 0;
  const question = () => ({ scope: { snapshotId }, filter: { conditions: [] } });
  const order = [{ column: 'dateMs' as const, descending: false }];

  const testPart = (part: 'disk' | 'keychain' | 'cache' | 'engine') => async (): Promise<string> => {
    const found = (await ask('diagnostics/test-self', null)).find((test) => test.part === part);
    if (found?.outcome === 'passed') return 'works';
    const code = found?.code ?? 'unknown';
    if (code === 'secrets.no-keychain') throw new NotHere('This session has no keychain.');
    throw new Error(code);
  };
  const write = (format: 'csv' | 'xlsx' | 'pdf') => async (): Promise<string> => {
    const target = join(folder, `self-test.${format}`);
    const { taskId } = await core.withFiles({ exportTarget: target }, () =>
      ask('exports/start', { ...question(), order, format, includePayload: false, zone: 'UTC' }),
    );
    if (taskId === null) throw new Error('No file was chosen.');
    const { state, error } = await ask('tasks/wait', { taskId });
    if (error?.code === 'exports.no-browser' || error?.code === 'exports.no-sandbox') {
      throw new NotHere(`Nothing here prints: ${error.code}.`);
    }
    if (state !== 'done') throw new Error(`The task ended as ${state}: ${error?.code ?? ''}.`);
    return `${(await stat(target)).size} bytes`;
  };

  return [
    ['data folder', testPart('disk')],
    ['keychain', testPart('keychain')],
    ['cache', testPart('cache')],
    ['analysis engine', testPart('engine')],
    [
      'built-in service',
      async () => {
        const { state, connection } = await ask('local-service/start', null);
        connectionId = connection.id;
        return state.state;
      },
    ],
    [
      'status',
      async () => {
        const { platform: found, failure } = await ask('status/refresh', { connectionId });
        if (failure !== null) throw new Error(failure);
        return `the platform is ${found}`;
      },
    ],
    [
      'download',
      async () => {
        const period = {
          fromMs,
          toMs,
          zone: 'UTC',
          startDate: toWireDate(fromMs, 'UTC'),
          endDate: toWireDate(toMs, 'UTC'),
        };
        const started = await ask('downloads/start', { connectionId, report: 'inbound-detail', period });
        await finish(started.taskId);
        snapshotId = started.snapshotId;
        const snapshot = await ask('snapshots/get', { snapshotId });
        records = snapshot.recordCount;
        if (snapshot.state !== 'complete') throw new Error(`It ended as ${snapshot.state}.`);
        return `${records} records`;
      },
    ],
    [
      'checksums',
      async () => {
        const { taskId } = await ask('snapshots/verify', { snapshotIds: [snapshotId] });
        await finish(taskId);
        return 'computed again';
      },
    ],
    [
      'records',
      async () => {
        const view = await ask('records/open-view', { ...question(), order });
        const rows = await ask('records/read-rows', { viewId: view.viewId, offset: 0, limit: 10 });
        await ask('records/close-view', { viewId: view.viewId });
        if (view.rowCount !== records) throw new Error(`${view.rowCount} of ${records} records are shown.`);
        return `${rows.length} rows`;
      },
    ],
    [
      'SQL',
      async () => {
        const outcome: SqlOutcome = await ask('sql/run', {
          runId: 'self-test',
          connectionId,
          fromMs,
          toMs,
          zone: 'UTC',
          text: 'SELECT 6 * 7',
        });
        if (outcome.kind !== 'rows') throw new Error(outcome.kind);
        const rows = await ask('sql/read-rows', {
          resultId: outcome.resultId,
          offset: 0,
          limit: 1,
          whole: true,
        });
        return `6 * 7 is ${String(rows[0]?.[0])}`;
      },
    ],
    ['summary', async () => `${(await ask('summaries/compute', { snapshotId })).groups.length} groups`],
    ['CSV', write('csv')],
    ['Excel', write('xlsx')],
    ['PDF', write('pdf')],
  ];
}

/** Runs the steps one after another, and writes their report to a file. Returns it. */
export async function writeReport(
  file: string,
  about: Pick<SelfTestReport, 'version' | 'host'>,
  steps: readonly SelfTestStep[],
  startedAtMs: number,
): Promise<SelfTestReport> {
  const { electron, chrome, node } = process.versions as Partial<Record<string, string>>;
  const versions = Object.fromEntries(
    Object.entries({ electron, chrome, node }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  const report: SelfTestReport = {
    ...about,
    system: `${platform()} ${release()} ${arch()}`,
    versions,
    startedAt: new Date(startedAtMs).toISOString(),
    isPassed: steps.every(({ outcome }) => outcome !== 'failed'),
    steps,
  };
  await writeFileAtomically(file, `${JSON.stringify(report, null, 2)}\n`);
  return report;
}

/** One line for each step, for people. */
export function describeReport({ steps, isPassed }: SelfTestReport): string {
  const marks = { passed: '✓', failed: '✗', 'not-here': '–' } as const;
  const lines = steps.map(
    ({ name, outcome, said, tookMs }) => `${marks[outcome]} ${name}: ${said} (${tookMs} ms)`,
  );
  return [...lines, isPassed ? 'The self-test passed.' : 'The self-test failed.'].join('\n');
}
