import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { isLeftOut, judgeSkips } from './judge-skips.ts';

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
      const filters = vitest?.config.tagsFilter ?? [];
      if (judgeSkips(modules.flatMap((module) => listSkips(module, filters)))) process.exitCode = 1;
    },
  };
}

function listSkips(module: TestModule, filters: readonly string[]) {
  const skipped = [...module.children.allTests('skipped')].filter(({ tags }) => !isLeftOut(tags, filters));
  return skipped.map((test) => {
    const result = test.result();
    const reason = result.state === 'skipped' ? (result.note ?? '') : '';
    return { title: `${relative(process.cwd(), module.moduleId)}: ${test.fullName}`, reason };
  });
}
