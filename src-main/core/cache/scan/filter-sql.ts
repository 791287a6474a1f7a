import type { CodeClass, RecordFilter } from '../../../common/model/record.ts';
import { listFields, type DetailKind } from '../../../common/reporting/reports.ts';

/** A condition over `r` (narrow fields) and, where `needsTexts`, `t` (payload). */
export interface FilterSql {
  readonly condition: string;
  readonly values: readonly (string | number)[];
  readonly needsTexts: boolean;
}

const CLASS_CONDITIONS: Readonly<Record<CodeClass, string>> = {
  '2xx': 'r.response_code BETWEEN 100 AND 299',
  '3xx': 'r.response_code BETWEEN 300 AND 399',
  '4xx': 'r.response_code BETWEEN 400 AND 499',
  '5xx': 'r.response_code BETWEEN 500 AND 599',
  none: '(r.response_code IS NULL OR r.response_code NOT BETWEEN 100 AND 599)',
};

/** The filter as SQL with bound values, or null when it restricts nothing. An empty list restricts nothing. */
export function toFilterSql(filter: RecordFilter, report: DetailKind): FilterSql | null {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...bound: (string | number)[]): void => {
    conditions.push(condition);
    values.push(...bound);
  };
  const addList = (column: string, list: readonly (string | number)[] | undefined): void => {
    if (list === undefined || list.length === 0) return;
    // One bound value whatever the length: SQLite limits their number.
    add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(list));
  };
  if (filter.codeClasses !== undefined && filter.codeClasses.length > 0) {
    add(`(${filter.codeClasses.map((name) => CLASS_CONDITIONS[name]).join(' OR ')})`);
  }
  addList('r.response_code', filter.responseCodes);
  addList('r.channel', filter.channels);
  addList('r.service', filter.services);
  addList('r.origin', filter.origins);
  if (filter.sessionId !== undefined && filter.sessionId !== '') add('r.session_id = ?', filter.sessionId);
  if (filter.minResponseTimeMs !== undefined) add('r.response_time_ms >= ?', filter.minResponseTimeMs);
  if (filter.fromMs !== undefined) add('r.date_ms >= ?', filter.fromMs);
  if (filter.toMs !== undefined) add('r.date_ms < ?', filter.toMs);
  const search = filter.search ?? '';
  if (search !== '') addSearch(search, report, add);
  if (conditions.length === 0) return null;
  return { condition: conditions.join(' AND '), values, needsTexts: search !== '' };
}

function addSearch(
  search: string,
  report: DetailKind,
  add: (condition: string, ...values: string[]) => void,
): void {
  const columns = listFields(report).flatMap(([, { type, column }]) =>
    type === 'text' || type === 'digits' ? [`r.${column}`] : [],
  );
  // Last, since it is the long one.
  columns.push('t.payload');
  const isAscii = /^[\x20-\x7e]*$/.test(search);
  const bound = isAscii ? `%${search.replace(/[\\%_]/g, '\\$&')}%` : search.toLowerCase();
  const conditions = columns.map((column) =>
    isAscii ? `${column} LIKE ? ESCAPE '\\'` : `contains_folded(${column}, ?)`,
  );
  add(`(${conditions.join(' OR ')})`, ...columns.map(() => bound));
}
