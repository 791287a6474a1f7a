import { useRouter } from 'vue-router';
import type { PartQuestion } from '../../src-main/common/model/cases/case.ts';
import type { RecordFilter, RecordScope } from '../../src-main/common/model/records/record-filter.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';
import { DETAIL_KINDS } from '../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../src-main/common/time/durations.ts';
import { NO_FILTER } from '../filters/edit-filter.ts';
import { toPeriodText } from '../period/period-selection.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useClockStore } from '../stores/window/times.ts';
import { inject } from 'vue';
import { useI18n } from 'vue-i18n';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import { toIncident } from '../address/record-links.ts';
import { caseDoorKey } from '../composables/case-door.ts';
import { NO_CONTENT, toPartFacts, toPartTitle } from '../format/part-content.ts';
import { useFindingWords } from '../messages/finding-words.ts';

const MAX_QUERY_CHARACTERS = 20_000;

interface Asked {
  /** The shown one where it is left out. */
  readonly connectionId?: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly filter?: RecordFilter;
  /** Left out, the records of both directions in the time. */
  readonly scopes?: readonly RecordScope[];
  readonly zone?: string;
  /** Left out, the address of the screen. */
  readonly place?: string;
}

/** Returns a function that makes the question of a part: what is asked, and the address that shows it in its own period. */
export function usePartQuestion() {
  const router = useRouter();
  const connections = useConnectionsStore();
  const clock = useClockStore();

  function toPlace(fromMs: number, toMs: number): string {
    const { path, query, meta } = router.currentRoute.value;
    // A period that moves with the clock would show another time later.
    const period =
      meta['hasPeriod'] === true
        ? { period: toPeriodText({ kind: 'custom', fromMs, toMs: Math.max(fromMs, toMs - SECOND_MS) }) }
        : {};
    return router.resolve({ path, query: { ...query, ...period } }).fullPath;
  }

  return ({ filter = NO_FILTER, fromMs, toMs, ...asked }: Asked): PartQuestion | null => {
    const { connectionId = connections.active?.id, zone = clock.zone, place = toPlace(fromMs, toMs) } = asked;
    if (connectionId === undefined) return null;
    const scopes = asked.scopes ?? DETAIL_KINDS.map((report) => ({ connectionId, report, fromMs, toMs }));
    const query = writeQuery(filter, createQueryClock(zone)).slice(0, MAX_QUERY_CHARACTERS);
    return { connectionId, scopes: [...scopes], filter, query, fromMs, toMs, zone, place };
  };
}

/** What a person said of it, and the other times that it was there. */
interface Said {
  readonly name?: string;
  readonly note?: string;
  readonly times?: readonly Finding[];
}

/** Returns a function that offers an incident to a case: its words, and its records as the question. */
export function useFindingOffer(): (item: Finding, nowMs: number, said?: Said) => void {
  const { t } = useI18n();
  const router = useRouter();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const words = useFindingWords();
  const toQuestion = usePartQuestion();
  const offer = inject(caseDoorKey, null);

  return (item, nowMs, { name = '', note = '', times = [item] } = {}) => {
    const connectionId = connections.active?.id;
    if (connectionId === undefined) return;
    const span = { fromMs: item.sinceMs, toMs: item.endedMs ?? item.untilMs };
    const question = toQuestion({
      ...span,
      filter: item.filter,
      scopes: item.directions.map((direction) => ({
        connectionId,
        report: `${direction}-detail` as const,
        ...span,
      })),
      place: router.resolve(toIncident(item, nowMs)).fullPath,
    });
    if (question === null) return;
    const facts = toPartFacts([
      // Without a name of its own the title says it.
      { name: t('cases.finding.what'), value: name === '' ? '' : words.toTitle(item) },
      { name: t('cases.finding.how'), value: words.toDetail(item) },
      ...times.map((own) => ({
        name: t('cases.finding.when'),
        value:
          own.endedMs === null ? words.toWhen(own, nowMs, clock.zone) : words.toSpan(own, nowMs, clock.zone),
      })),
      { name: t('cases.finding.family'), value: item.errorFamily ?? '' },
      { name: t('cases.finding.note'), value: note },
      {
        name: t('cases.finding.sessions'),
        value: item.examples.map(({ sessionId }) => sessionId).join(', '),
      },
    ]);
    offer?.({
      kind: 'finding',
      title: toPartTitle(name || words.toTitle(item)),
      question,
      readContent: () => ({ ...NO_CONTENT, facts }),
    });
  };
}
