import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { judgeSkips, type Skip } from './judge-skips.ts';

/** Names the tests that did not run, and fails the run where none may be left out. */
export default class PlaywrightSkipReporter implements Reporter {
  readonly #skips: Skip[] = [];

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== 'skipped') return;
    const reason = test.annotations.find(({ type }) => type === 'skip')?.description ?? '';
    this.#skips.push({ title: test.titlePath().filter(Boolean).join(' › '), reason });
  }

  onEnd(): Promise<{ status?: FullResult['status'] }> {
    return Promise.resolve(judgeSkips(this.#skips) ? { status: 'failed' } : {});
  }
}
