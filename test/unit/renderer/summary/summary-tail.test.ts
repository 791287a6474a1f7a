import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import SummaryScreen from '../../../../src-renderer/screens/summary/SummaryScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeReconciliation } from './make-reconciliation.ts';
import { makeConnection, makeSettings, makeTask } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 14, 3, 10);
const DAY = { fromMs: NOW_MS - 86_400_000, toMs: NOW_MS };

let page: VueWrapper;

/** The screen of the last 24 hours, cached but for the seconds since the last download. */
async function show(tailMs: number): Promise<void> {
  const reported = makeSnapshot(DAY, { id: 2, report: 'inbound-summary', fetchedAtMs: NOW_MS });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'snapshots/list': () => [makeSnapshot(DAY, { id: 1 }), reported],
    'snapshots/read-storage': () => ({}) as never,
    'summaries/read': () => ({ source: 'reported', snapshotId: 2, requestCount: 0, groups: [] }),
    'summaries/compute': () => ({ source: 'computed', snapshotId: 0, requestCount: 0, groups: [] }),
    'summaries/start-fetch': () => ({ taskId: 't', snapshotId: 2 }),
    'tasks/wait': () => makeTask({ kind: 'summary', state: 'done', snapshotId: 2 }),
    'snapshots/get': () => reported,
    'summaries/reconcile': () => ({
      ...makeReconciliation(),
      snapshotId: 2,
      verdict: 'not-comparable' as const,
      obstacle: 'cached-until' as const,
      gaps: [{ fromMs: NOW_MS - tailMs + 1000, toMs: NOW_MS + 1000 }],
      missingMs: tailMs,
    }),
    'coverage/read': ({ toMs }) => ({
      buckets: [],
      gaps: [{ fromMs: toMs - tailMs, toMs, state: 'missing', fetching: null }],
      unreadyRecords: 0,
    }),
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  await useConnectionsStore().load();
  page = mount(SummaryScreen, { props: { direction: 'inbound' }, global, attachTo: document.body });
  await flushPromises();
}

async function compute(): Promise<void> {
  await page
    .findAll('button')
    .find((button) => button.text() === 'Computed from cached records')
    ?.trigger('click');
  await flushPromises();
}

describe('the seconds since the last download, in a computed summary of a period that goes on', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS }));
  afterEach(() => {
    page.unmount();
    vi.useRealTimers();
  });

  it('are not called missing: it says up to when the period is cached', async () => {
    await show(3000);
    await compute();
    expect(page.text()).toContain('up to 14:03:08');
    expect(page.text()).not.toContain('missing');
    // The service counted those seconds too.
    expect(page.text()).not.toContain('Matches');
    await page.get('.badge').trigger('click');
    expect(document.body.textContent).toContain('The records are cached up to 14:03:08.');
  });

  it('are missing where they are an hour', async () => {
    await show(3_600_000);
    await compute();
    expect(page.text()).toContain('1 h missing');
    expect(page.findAll('button').map((button) => button.text())).toContain('Fetch missing');
    expect(page.text()).not.toContain('up to');
  });
});
