import { computed, type Ref } from 'vue';
import { useConnectionsStore } from '../../stores/connections.ts';
import { useOverviewStore } from '../../stores/overview.ts';
import { useSnapshotsStore } from '../../stores/snapshots.ts';
import { collectCachedSpans } from '../../period/cached-spans.ts';
import { findUncached, toElapsedCoverage, toVolumePoints } from './volume-series.ts';

const HOURS = 24;

/** The volume of the active connection as the chart draws it, and how much of it is cached. */
export function useVolumeView(nowMs: Readonly<Ref<number>>) {
  const connections = useConnectionsStore();
  const overview = useOverviewStore();
  const snapshots = useSnapshotsStore();

  const points = computed(() =>
    overview.volume === null ? null : toVolumePoints(overview.volume.inbound, overview.volume.outbound),
  );
  const uncached = computed<readonly boolean[]>((previous) => {
    const own = (snapshots.snapshots ?? []).filter(
      (snapshot) => snapshot.connectionId === connections.active?.id && snapshot.report.endsWith('detail'),
    );
    const next = findUncached(points.value ?? [], collectCachedSpans(own));
    // Every page of a download changes the snapshots: only a real difference is drawn again.
    return previous?.join() === next.join() ? previous : next;
  });
  /** Shares of the hours that have passed, 0 to 1. */
  const coverage = computed(() => {
    const measure = (share: number | undefined): number =>
      toElapsedCoverage(share ?? 0, points.value ?? [], nowMs.value);
    return {
      inbound: measure(overview.volume?.inboundCoverage),
      outbound: measure(overview.volume?.outboundCoverage),
    };
  });
  const cachedHours = computed(() => HOURS * Math.max(coverage.value.inbound, coverage.value.outbound));

  return { points, uncached, coverage, cachedHours };
}
