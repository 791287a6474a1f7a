import { computed, type ComputedRef } from 'vue';
import { useOverviewStore } from '../../../stores/analysis/overview.ts';
import { toVolumePoints, type VolumePoint } from './volume-series.ts';

/** The volume of the active connection as the chart draws it; null while loading. */
export function useVolumePoints(): ComputedRef<readonly VolumePoint[] | null> {
  const overview = useOverviewStore();
  return computed(() =>
    overview.volume === null ? null : toVolumePoints(overview.volume.inbound, overview.volume.outbound),
  );
}
