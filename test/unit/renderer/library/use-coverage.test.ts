import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { defineComponent, nextTick } from 'vue';
import { REPORT_KINDS } from '../../../../src-main/common/reporting/reports.ts';
import { useCoverage } from '../../../../src-renderer/screens/library/coverage/coverage-map.ts';
import { HeldBackend } from '../support/held-backend.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';

it('says nothing of a failure for the days that were left for one of them', async () => {
  const backend = new HeldBackend();
  const { global } = await provideApplication(backend);
  let coverage: ReturnType<typeof useCoverage> | undefined;
  const Panel = defineComponent({
    setup: () => {
      coverage = useCoverage(makeConnection());
      return () => null;
    },
  });
  const panel = mount(Panel, { global });
  coverage!.zoomIn(coverage!.rows.value[0]!.cells[3]!);
  await nextTick();
  const calls = backend.of('coverage/read');
  expect(calls).toHaveLength(2 * REPORT_KINDS.length);
  for (const call of calls.slice(REPORT_KINDS.length)) await call.answer({ buckets: [], gaps: [] });
  for (const call of calls.slice(0, REPORT_KINDS.length)) await call.refuse('cache.damaged');
  expect([coverage!.isLoaded.value, coverage!.error.value]).toEqual([true, null]);
  panel.unmount();
});
