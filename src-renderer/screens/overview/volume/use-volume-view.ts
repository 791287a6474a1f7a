import { computed, type Ref } from 'vue';
import { useOverviewStore } from '../../../stores/analysis/overview.ts';
import { toElapsedCoverage, toSlotCoverage, toVolumePoints, type SlotCoverage } from './volume-series.ts';

/** The volume of the active connection as the chart draws it, and how much of it is cached. */
export function useVolumeView(nowMs: Readonly<Ref<number>>) {
  const overview = useOverviewStore();

  const points = computed(() =>
    overview.volume === null ? null : toVolumePoints(overview.volume.inbound, overview.volume.outbound),
  );
  const slots = computed<readonly SlotCoverage[]>((previous) => {
    const { inboundCovered: inbound = [], outboundCovered: outbound = [] } = overview.volume ?? {};
    const next = toSlotCoverage(points.value ?? [], { inbound, outbound }, nowMs.value);
    // Time moves on with every second: only a real difference is drawn again.
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
  return { points, slots, coverage };
}
