import { provide } from 'vue';
import { useRouter } from 'vue-router';
import type {
  FieldCondition,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { toAlertOnFilter } from '../../../alerts/alert-link.ts';
import { toAddress } from '../../../filters/filter-address.ts';
import { joinConditions, leadsKey, type Leads } from './leads.ts';

/** Gives everything on a summary's screen the ways to its records, to what sets them apart, and to an alert. */
export function useLeads(readBasis: () => { direction: Direction; filter: RecordFilter }): Leads {
  const router = useRouter();

  function show(own: readonly FieldCondition[], more: { explain?: '1' }): void {
    const { direction, filter } = readBasis();
    const conditions = joinConditions(filter, own);
    void router.push({ name: `${direction}-detail`, query: { ...toAddress({ conditions }), ...more } });
  }

  const leads: Leads = {
    open: (conditions) => show(conditions, {}),
    explain: (conditions) => show(conditions, { explain: '1' }),
    makeAlert: ({ conditions, subject }) => {
      const { direction, filter } = readBasis();
      // Of failures alone the share that failed says nothing.
      const own = (conditions ?? []).filter(
        ({ field }) => subject !== 'error-share' || (field !== 'outcome' && field !== 'responseCode'),
      );
      const whole = { conditions: joinConditions(filter, own) };
      void router.push(toAlertOnFilter(direction, whole, subject));
    },
  };
  provide(leadsKey, leads);
  return leads;
}
