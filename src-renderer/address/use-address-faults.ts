import { computed, type ComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { fromPeriodText, toPeriodText } from '../period/period-query.ts';
import { usePeriodStore } from '../stores/window/period.ts';
import { findFilterFault, fromAddress, toAddress } from '../filters/filter-address.ts';
import { toQueryText } from './query-text.ts';

/** The parts of the address that can't be read, as they stand there; what could be read of it is shown. */
export function useAddressFaults(readOwn: () => readonly (string | null)[]): {
  readonly faults: ComputedRef<readonly string[]>;
  /** Writes the address as it is shown; `own` are the parts that only this screen knows. */
  mend(own?: Readonly<Record<string, string>>): void;
} {
  const route = useRoute();
  const router = useRouter();
  const periods = usePeriodStore();
  const periodFault = computed(() => {
    const text = toQueryText(route.query, 'period');
    return text === '' || fromPeriodText(text) !== null ? null : text;
  });

  return {
    faults: computed(() =>
      [periodFault.value, findFilterFault(route.query), ...readOwn()].flatMap((text) => text ?? []),
    ),
    mend(own = {}) {
      const query = {
        ...route.query,
        period: toPeriodText(periods.selection),
        q: undefined,
        ...toAddress(fromAddress(route.query)),
        ...Object.fromEntries(
          Object.entries(own).map(([name, text]) => [name, text === '' ? undefined : text]),
        ),
      };
      void router.replace({ params: route.params, query });
    },
  };
}
