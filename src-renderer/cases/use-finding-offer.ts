import { inject } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import { toIncident } from '../address/finding-address.ts';
import { caseDoorKey } from '../composables/case-door.ts';
import { NO_CONTENT, toPartFacts, toPartTitle } from '../format/part-content.ts';
import { useFindingWords } from '../messages/finding-words.ts';
import { useClockStore } from '../stores/window/clock.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { usePartQuestion } from './use-part-question.ts';

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
