import { useI18n } from 'vue-i18n';
import type { QueryError } from '../../../../src-main/common/query/parse-query.ts';
import { QUERY_FIELDS } from '../../../../src-main/common/query/query-fields.ts';

/** Says what is wrong with a query, and what is expected. */
export function useFaultWords(): (error: QueryError) => string {
  const { t } = useI18n();
  const fields = QUERY_FIELDS.map(({ keyword }) => keyword).join(', ');
  return ({ fault, text }) => t(`detail.query.faults.${fault}`, { text, fields });
}
