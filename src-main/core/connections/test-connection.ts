import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { TestStep } from '../../common/model/cache/task.ts';
import type { ConnectionDraft } from '../../common/model/connections/connection.ts';
import { judgeEnd } from '../../common/reporting/reading/next-cursor.ts';
import { readPage, type ReadPage } from '../../common/reporting/reading/read-page.ts';
import { REPORT_KINDS, type ReportKind } from '../../common/reporting/reports.ts';
import { toWireDate } from '../../common/reporting/wire-dates.ts';
import { HOUR_MS } from '../../common/time/durations.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';

/** A short period is enough to see that a report is served. */
const TEST_PERIOD_MS = HOUR_MS;
/** Where both summaries share an identifier, the outbound groups come after all the inbound ones (decision 11). */
const SUMMARY_GROUPS = 1_000;
/** Services that send fewer groups at once are asked for more pages, until some of the wanted direction have come. */
const MOST_PAGES = 20;

type StepResult = Pick<TestStep, 'detail' | 'values'> & { readonly warned?: boolean };

export interface ConnectionTest {
  readonly draft: ConnectionDraft;
  readonly client: ReportingClient;
  now(): number;
  /** Returns the status of any HTTP response; rejects with a `client.*` AppError. */
  reach(signal: AbortSignal): Promise<number>;
}

async function askReport(test: ConnectionTest, report: ReportKind, signal: AbortSignal): Promise<StepResult> {
  const nowMs = test.now();
  const { serviceZone } = test.draft;
  const ask = async (lastDocument: string): Promise<ReadPage> => {
    const response = await test.client.fetchPage(
      {
        report,
        startDate: toWireDate(nowMs - TEST_PERIOD_MS, serviceZone),
        endDate: toWireDate(nowMs, serviceZone),
        size: report.endsWith('detail') ? 1 : SUMMARY_GROUPS,
        lastDocument,
      },
      { signal },
    );
    return readPage(new Uint8Array(response.bytes), { report, zone: serviceZone });
  };
  const { page, otherGroups } = await findOwnGroups(ask);
  if (isInboundOnly(page)) return { detail: 'inbound-columns', values: {}, warned: true };
  // Nothing showed how the service names and writes its fields.
  if (page.recordCount === 0) return { detail: 'no-records', values: {}, warned: true };
  const total = page.totalDocument ?? page.recordCount;
  return report.endsWith('detail')
    ? { detail: 'records', values: { received: page.recordCount, total } }
    : // An identifier that both summaries share is answered with the groups of both.
      { detail: 'groups', values: { total: total - otherGroups } };
}

/** Goes on from page to page while only inbound groups come, and counts the groups that are not of the report. */
async function findOwnGroups(ask: (lastDocument: string) => Promise<ReadPage>) {
  const asked = [''];
  let page = await ask('');
  let otherGroups = page.recordCount - page.groups.length;
  while (isInboundOnly(page) && asked.length < MOST_PAGES) {
    const { nextCursor } = judgeEnd({
      ...page,
      cursorSent: asked.at(-1) ?? '',
      isAfterEmpty: false,
      seenCursors: (cursor) => asked.includes(cursor),
      hasAll: () => false,
    });
    if (nextCursor === null) break;
    asked.push(nextCursor);
    const next = await ask(nextCursor);
    if (next.recordCount === 0) break;
    page = next;
    otherGroups += page.recordCount - page.groups.length;
  }
  return { page, otherGroups };
}

function isInboundOnly({ remarks }: ReadPage): boolean {
  return remarks.some(({ code }) => code === 'answer-has-inbound-only');
}

/** Runs the seven steps in order, updates the task with each, and stops at the first failure. */
export async function testConnection(test: ConnectionTest, task: TaskHandle): Promise<void> {
  const { signal } = task;
  const runs: [TestStep['name'], () => Promise<StepResult>][] = [
    ['reach', async () => ({ detail: 'answered', values: { status: await test.reach(signal) } })],
    [
      'token',
      async () => {
        await test.client.createToken(signal);
        return { detail: 'token-received', values: {} };
      },
    ],
    [
      'status',
      async () => {
        const { reading } = await test.client.fetchStatus(signal);
        return { detail: 'states', values: { platform: reading.platform, connector: reading.connector } };
      },
    ],
    ...REPORT_KINDS.map((report): [TestStep['name'], () => Promise<StepResult>] => [
      report,
      () => askReport(test, report, signal),
    ]),
  ];
  const steps: TestStep[] = runs.map(([name]) => ({
    name,
    state: 'waiting',
    durationMs: null,
    detail: '',
    values: {},
    error: null,
  }));
  const set = (index: number, change: Partial<TestStep>): void => {
    const step = steps[index];
    if (step !== undefined) steps[index] = { ...step, ...change };
    task.update({ steps: [...steps] });
  };

  task.progress(0, runs.length);
  for (const [index, [, run]] of runs.entries()) {
    signal.throwIfAborted();
    const startedAtMs = test.now();
    set(index, { state: 'running' });
    try {
      const { warned = false, ...result } = await run();
      set(index, { ...result, state: warned ? 'warned' : 'passed', durationMs: test.now() - startedAtMs });
    } catch (error) {
      const cause = signal.aborted
        ? new AppError('app.cancelled', 'The test was cancelled.', {}, error)
        : error;
      set(index, { state: 'failed', error: toErrorInfo(cause), durationMs: test.now() - startedAtMs });
      throw cause;
    }
    task.progress(index + 1, runs.length);
  }
}
