import { inject } from 'vue';
import { useI18n } from 'vue-i18n';
import type { RecordRow } from '../../src-main/common/model/records/record.ts';
import type { FieldCondition, RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import type { RecordScope } from '../../src-main/common/model/records/record-scope.ts';
import { SECOND_MS } from '../../src-main/common/time/durations.ts';
import { caseDoorKey } from '../composables/case-door.ts';
import { formatExact } from '../format/dates.ts';
import { formatCount } from '../format/numbers.ts';
import { toPartTitle } from '../format/part-content.ts';
import type { PeriodEnds } from '../period/period-selection.ts';
import { useClockStore } from '../stores/window/clock.ts';
import { usePartQuestion } from './use-part-question.ts';
import { useRecordParts } from './use-record-parts.ts';

/** Sessions that a question names; of rows of more of them it is asked by their time alone. */
const MAX_SESSIONS = 100;

/** What the rows of a table are of. */
interface Shown {
  readonly scope: RecordScope | null;
  readonly filter: RecordFilter;
  readonly period: PeriodEnds | null;
}

/** Returns what offers selected records to a case. No field of a record is a key: they are found by sessions and time. */
export function useRowsOffer(readShown: () => Shown) {
  const { t } = useI18n();
  const toQuestion = usePartQuestion();
  const { toRowsContent } = useRecordParts();
  const offer = inject(caseDoorKey, null);
  const clock = useClockStore();

  function toTitle(rows: readonly RecordRow[]): string {
    const [{ dateMs, dateText } = { dateMs: null, dateText: '' }] = rows;
    if (rows.length > 1) return t('cases.add.rows', { count: formatCount(rows.length) }, rows.length);
    return t('cases.add.record', { time: dateMs === null ? dateText : formatExact(dateMs, clock.zone) });
  }

  function add(rows: readonly RecordRow[]): void {
    const { scope, filter, period } = readShown();
    if (rows.length === 0 || scope === null || period === null) return;
    const dates = rows.flatMap(({ dateMs }) => dateMs ?? []);
    const sessions = [...new Set(rows.map(({ sessionId }) => sessionId))];
    const conditions: FieldCondition[] = [];
    let span = { fromMs: period.fromMs, toMs: period.toMs + SECOND_MS };
    if (dates.length === rows.length) {
      span = { fromMs: Math.min(...dates), toMs: Math.max(...dates) + 1 };
      conditions.push({ field: 'dateMs', min: span.fromMs, max: span.toMs });
    }
    if (sessions.length <= MAX_SESSIONS) conditions.push({ field: 'sessionId', values: sessions });
    const own = { conditions: [...filter.conditions, ...conditions] };
    // What else is missing of the table's period says nothing of these.
    const scopes = ['snapshotId' in scope ? scope : { ...scope, ...span }];
    const question = toQuestion({ ...span, filter: own, scopes });
    if (question === null) return;
    offer?.({
      kind: 'records',
      title: toPartTitle(toTitle(rows)),
      question,
      readContent: () => toRowsContent(rows),
    });
  }

  return { canAdd: offer !== null, add };
}
