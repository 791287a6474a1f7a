import { useI18n } from 'vue-i18n';
import type { Facets } from '../../../../src-main/common/model/records/record.ts';
import type { PeriodScope } from '../../../../src-main/common/model/records/record-scope.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { NO_FILTER } from '../../../filters/edit-filter.ts';
import { useNames } from '../../../names/use-names.ts';
import { toNamedField } from '../to-named-field.ts';
import type { ColumnValues } from './complete-values.ts';

/** The values that the records of the period have; each direction is counted once. */
export function useColumnValues(toScope: (direction: Direction) => PeriodScope | null): ColumnValues {
  const backend = useBackend();
  const names = useNames();
  const { t } = useI18n();
  const counted = new Map<Direction, { readonly key: string; readonly facets: Promise<Facets | null> }>();

  return {
    async read(direction) {
      const scope = toScope(direction);
      if (scope === null) return null;
      const key = JSON.stringify(scope);
      const known = counted.get(direction);
      if (known?.key === key) return known.facets;
      const facets = backend.call('records/read-facets', { scope, filter: NO_FILTER }).catch(() => {
        // Words are offered in their place, and the next time they may be there.
        counted.delete(direction);
        return null;
      });
      counted.set(direction, { key, facets });
      return facets;
    },
    toName: (column, value) => names.find(toNamedField(column), value)?.name ?? '',
    toHeading: (column) => t('sql.values', { column }),
  };
}
