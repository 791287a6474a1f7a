import { type InjectionKey, provide } from 'vue';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { isAbout } from '../../../../src-main/common/query/filter-tree.ts';
import { type AlertSubject, toAlertOnFilter } from '../../../alerts/alert-link.ts';
import { isOnGroups } from '../groups/group-words.ts';
import { useRouter } from 'vue-router';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { toAddress } from '../../../filters/filter.ts';

/** A part of a summary, such as a row or a bar. */
export interface Lead {
  /** What it is, in words. */
  readonly name: string;
  /** What its records meet; null where no filter says that. */
  readonly conditions: readonly FieldCondition[] | null;
  /** What an alert on it watches; what suits the conditions where it is not given. */
  readonly subject?: AlertSubject | undefined;
  /** Its records in parts, where they can be shown only so. */
  readonly parts?:
    | {
        readonly title: string;
        readonly items: readonly {
          readonly name: string;
          readonly conditions: readonly FieldCondition[];
        }[];
      }
    | undefined;
}

/** The ways that lead on from a part of a summary. */
interface Leads {
  open(conditions: readonly FieldCondition[]): void;
  explain(conditions: readonly FieldCondition[]): void;
  /** About a chart without conditions: of everything that it shows. */
  makeAlert(lead: Pick<Lead, 'conditions' | 'subject'>): void;
}

/** Given by the screen, for every row and chart on it. */
export const leadsKey: InjectionKey<Leads> = Symbol('leads of a summary');

/**
 * Returns all conditions of a part's records: its own, and those of the screen's filter that apply to groups. A field
 * that the part has a value of needs no other condition: the filter let that value through.
 */
export function joinConditions({ conditions }: RecordFilter, own: readonly FieldCondition[]): FilterPart[] {
  const isSaid = (part: FilterPart): boolean =>
    own.some((one) => isAbout(part, one.field) && one.exclude !== true);
  return [...conditions.filter((one) => isOnGroups(one) && !isSaid(one)), ...own];
}

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
