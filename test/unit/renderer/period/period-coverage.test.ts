import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineComponent, nextTick, reactive, shallowRef, type ShallowUnwrapRef } from 'vue';
import type { Output } from '../../../../src-main/common/contract/index.ts';
import type { PeriodScope } from '../../../../src-main/common/model/records/record-filter.ts';
import { usePeriodCoverage } from '../../../../src-renderer/period/period-coverage.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import CoverageNote from '../../../../src-renderer/period/CoverageNote.vue';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { HeldBackend } from '../support/held-backend.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

type Gaps = Output<'coverage/read'>['gaps'];

const TO_MS = Date.UTC(2026, 10, 20, 14, 3, 10);
const scope = {
  connectionId: 'a',
  report: 'inbound-detail' as const,
  fromMs: TO_MS - 86_400_000,
  toMs: TO_MS,
};
const tail = (lengthMs: number, state: Gaps[number]['state'] = 'missing') => ({
  fromMs: TO_MS - lengthMs,
  toMs: TO_MS,
  state,
  fetching: null,
});

let page: VueWrapper;
let coverage: ShallowUnwrapRef<ReturnType<typeof usePeriodCoverage>>;

let backend: ScriptedBackend;

async function show(gaps: Gaps, endsNow = true, aheadMs = 0): Promise<string> {
  backend = new ScriptedBackend({
    'downloads/fetch-gaps': () => ({}) as never,
    'coverage/read': () => ({ gaps }) as never,
  });
  const { global } = await provideApplication(backend);
  const Page = defineComponent({
    components: { CoverageNote },
    setup: () => {
      coverage = reactive(
        usePeriodCoverage(
          () => scope,
          () => endsNow,
          () => aheadMs,
        ),
      );
      return { coverage, scope, parts: [makeSnapshot(scope, {})], nowMs: TO_MS };
    },
    template:
      '<CoverageNote :coverage="coverage" :scope="scope" :parts="parts" zone="UTC" :now-ms="nowMs" />',
  });
  page = mount(Page, { global });
  await flushPromises();
  return page.text();
}

afterEach(() => page.unmount());

describe('what is missing of a period', () => {
  it('says up to when it is cached where it ends now, instead of a gap of seconds', async () => {
    const text = await show([tail(3000)]);
    expect(text).toContain('up to 14:03:07');
    expect(text).not.toContain('missing');
    expect(coverage.gaps).toEqual([]);
    // It can't be fetched away: as much passes meanwhile.
    expect(page.find('button').exists()).toBe(false);
  });

  it('does not call missing what a paused download holds in part', async () => {
    const part = {
      fromMs: scope.fromMs,
      toMs: scope.fromMs + 3_600_000,
      state: 'partial' as const,
      fetching: null,
    };
    const rest = {
      fromMs: part.toMs,
      toMs: part.toMs + 7_200_000,
      state: 'missing' as const,
      fetching: null,
    };
    expect(await show([part, rest])).toContain('2 h missing, 1 h cached in part');
    page.unmount();
    const text = await show([part]);
    expect(text).toContain('1 h cached in part');
    expect(text).not.toContain('1 h missing');
    expect(page.get('button').text()).toBe('Fetch missing');
  });

  it.each([13, 60, 800])(
    'stays calm %i s after a download, and offers to fetch what came since',
    async (s) => {
      const text = await show([tail(s * 1000)]);
      expect(text).toContain('up to');
      expect(text).not.toContain('missing');
      expect(page.get('button').text()).toBe('Fetch newest');
      expect(coverage.missingMs).toBe(0);
    },
  );

  it.each([
    ['that ended before', [tail(3000)], false],
    ['whose gap is longer', [tail(901_000)], true],
    ['whose download failed there', [tail(3000, 'failed')], true],
    ['with a gap elsewhere', [{ ...tail(9000), toMs: TO_MS - 6000 }], true],
  ] as const)('is offered of a period %s', async (_name, gaps, endsNow) => {
    expect(await show([...gaps], endsNow)).toContain('missing');
    expect(coverage.cachedUntilMs).toBeNull();
  });

  it.each([
    [-7_200_000, 3_600_000, 'a whole hour, where that has passed'],
    [-60_000, 59_000, 'up to now'],
  ])('is fetched beyond a period that moves on: %i ms from now %i ms more', async (fromNowMs, moreMs) => {
    vi.useFakeTimers({ now: TO_MS - fromNowMs, toFake: ['Date'] });
    await show([tail(3000, 'failed')], false, 3_600_000);
    await coverage.fetchGaps();
    vi.useRealTimers();
    const { input } = backend.calls.find(({ name }) => name === 'downloads/fetch-gaps')!;
    expect((input as { toMs: number }).toMs).toBe(TO_MS + (moreMs === 59_000 ? 59_000 : moreMs - 1000));
  });

  it('is what else is missing of a period that ends now', async () => {
    const gap = { fromMs: TO_MS - 80_000, toMs: TO_MS - 20_000, state: 'missing' as const, fetching: null };
    expect(await show([gap, tail(2000)])).toContain('1 min missing');
    expect(page.get('button').text()).toBe('Fetch missing');
    expect(coverage.gaps).toEqual([gap]);
  });
});

describe('what is missing, while a period is downloaded', () => {
  it('is told of the end of a download once that is known, not as it was in its midst', async () => {
    const held = new HeldBackend();
    const { global } = await provideApplication(held);
    const snapshots = useSnapshotsStore();
    const hold = (state: 'downloading' | 'complete'): Promise<void> => {
      const { report, connectionId } = scope;
      void snapshots.load();
      const list = held.of('snapshots/list').at(-1)!;
      return list.answer([makeSnapshot(scope, { connectionId, report, state })]);
    };
    const Page = defineComponent({
      setup: () => {
        coverage = reactive(usePeriodCoverage(() => scope));
        return () => null;
      },
    });
    await hold('downloading');
    page = mount(Page, { global });
    const answer = (gaps: Gaps) => held.of('coverage/read').at(-1)!.answer({ gaps });
    await answer([tail(80_000_000)]);
    expect([coverage.isCurrent, coverage.missingMs]).toEqual([true, 80_000_000]);
    await hold('complete');
    await nextTick();
    expect(coverage.isCurrent).toBe(false);
    await answer([]);
    expect([coverage.isCurrent, coverage.missingMs]).toEqual([true, 0]);
  });
});

describe('what is missing, after another period was chosen', () => {
  const asked = shallowRef<PeriodScope>(scope);
  let held: HeldBackend;
  const answer = (place: number) => held.of('coverage/read')[place]!;

  async function follow(): Promise<void> {
    held = new HeldBackend();
    asked.value = scope;
    const { global } = await provideApplication(held);
    const Page = defineComponent({
      setup: () => {
        coverage = reactive(usePeriodCoverage(() => asked.value));
        return () => null;
      },
    });
    page = mount(Page, { global });
    await answer(0).answer({ gaps: [tail(3_600_000)] });
    expect(coverage.missingMs).toBe(3_600_000);
  }

  it('is not what was missing of the one before, where it can not be read', async () => {
    await follow();
    asked.value = { ...scope, fromMs: scope.fromMs - 86_400_000 };
    await nextTick();
    await answer(1).refuse('cache.damaged');
    expect([coverage.isKnown, coverage.gaps]).toEqual([false, []]);
  });

  it('is unknown of another connection until it has been read', async () => {
    await follow();
    asked.value = { ...scope, connectionId: 'b' };
    await nextTick();
    expect([coverage.isKnown, coverage.missingMs]).toEqual([false, 0]);
    await answer(1).answer({ gaps: [] });
    expect([coverage.isKnown, coverage.missingMs]).toEqual([true, 0]);
  });
});
