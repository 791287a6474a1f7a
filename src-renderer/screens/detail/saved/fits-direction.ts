import type { SavedFilter } from '../../../../src-main/common/model/records/saved-filter.ts';
import { listQueryFields } from '../../../../src-main/common/query/query-fields.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { fromAddress } from '../../../filters/filter-address.ts';

/** True where the records of a direction have every field that a saved filter names. */
export function fitsDirection({ direction, query }: SavedFilter, shown: Direction): boolean {
  if (direction === shown) return true;
  const present = new Set<string>(listQueryFields(shown).map(({ field }) => field));
  return fromAddress({ q: query }).conditions.every(
    ({ field }) => field === 'anywhere' || present.has(field),
  );
}
