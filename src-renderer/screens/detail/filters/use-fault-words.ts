import { useI18n } from 'vue-i18n';
import type { QueryError } from '../../../../src-main/common/query/parse-query.ts';
import { listQueryFields, QUERY_FIELDS } from '../../../../src-main/common/query/query-fields.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

/** Says what is wrong with a query, and what is expected: of the fields, those that the records of a direction have. */
export function useFaultWords(readDirection?: () => Direction): (error: QueryError) => string {
  const { t } = useI18n();
  return ({ fault, text }) => {
    const known = readDirection === undefined ? QUERY_FIELDS : listQueryFields(readDirection());
    const fields = known.map(({ keyword }) => keyword).join(', ');
    return t(`detail.query.faults.${fault}`, { text, fields });
  };
}
