import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { judgeSkips } from './judge-skips.ts';

/** Names the tests that did not run, and fails the run where none may be left out. */
export function createSkipReporter(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit: (started) => {
      vitest = started;
    },
    onTestRunEnd: (modules) => {
      // A run of some titles leaves the others out on purpose.
      if (vitest?.config.testNamePattern !== undefined) return;
      if (judgeSkips(modules.flatMap(listSkips))) process.exitCode = 1;
    },
  };
}

function listSkips(module: TestModule) {
  return [...module.children.allTests('skipped')].map((test) => {
    const result = test.result();
    const reason = result.state === 'skipped' ? (result.note ?? '') : '';
    return { title: `${relative(process.cwd(), module.moduleId)}: ${test.fullName}`, reason };
  });
}
