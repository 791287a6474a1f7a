import { computed, type Ref } from 'vue';
import { useOverviewStore } from '../../../stores/analysis/overview.ts';
import { toElapsedCoverage, toSlotCoverage, type SlotCoverage, type VolumePoint } from './volume-series.ts';

/** How much of the volume's time is cached. */
export function useVolumeCoverage(
  points: Readonly<Ref<readonly VolumePoint[] | null>>,
  readNowMs: () => number,
) {
  const overview = useOverviewStore();

  const slots = computed<readonly SlotCoverage[]>((previous) => {
    const { inboundCovered: inbound = [], outboundCovered: outbound = [] } = overview.volume ?? {};
    const next = toSlotCoverage(points.value ?? [], { inbound, outbound }, readNowMs());
    // Time moves on with every second: only a real difference is drawn again.
    return JSON.stringify(previous) === JSON.stringify(next) && previous ? previous : next;
  });
  /** Shares of the hours that have passed, 0 to 1. */
  const coverage = computed(() => {
    const measure = (share: number | undefined): number =>
      toElapsedCoverage(share ?? 0, points.value ?? [], readNowMs());
    return {
      inbound: measure(overview.volume?.inboundCoverage),
      outbound: measure(overview.volume?.outboundCoverage),
    };
  });
  return { slots, coverage };
}
