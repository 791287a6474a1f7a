import { useI18n } from 'vue-i18n';
import type {
  ExplainedTimes,
  ExplainedValue,
  Explanation,
} from '../../../../src-main/common/model/analysis/explanation.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import { toPatternParts } from '../../../components/errors/pattern-parts.ts';
import { useNames } from '../../../names/use-names.ts';
import { formatCount, formatPercent } from '../../../format/numbers.ts';
import { formatSigned } from '../../../format/signed.ts';
import type { Selection } from './split-selection.ts';

/** From here on a ratio needs no digit after the point. */
const LARGE_RATIO = 10;

/** A value as it is printed. */
export interface ExplainedWords {
  readonly parts: readonly {
    readonly field: string;
    readonly value: string;
    readonly isNone: boolean;
    /** The value is a pattern of errors, with places for what varies. */
    readonly isPattern: boolean;
  }[];
  readonly insideShare: number;
  readonly outsideShare: number;
  readonly ratio: string;
  readonly certainty: string;
  /** Sessions and clients inside that have it. */
  readonly hit: string;
  readonly difference: string;
}

/** Words for what sets a selection apart. */
export function useExplainWords() {
  const { t } = useI18n();
  const names = useNames();

  function toParts({ terms }: ExplainedValue): ExplainedWords['parts'] {
    return terms.map(({ field, value }) => ({
      field: t(`detail.fields.${field}`),
      isNone: value === null,
      isPattern: field === 'errorFamily' && value !== null,
      value:
        value === null
          ? t('explain.none')
          : field === 'channel' || field === 'service' || field === 'actionId'
            ? names.toText(field, value)
            : toVisible(String(value)),
    }));
  }

  function toWords(value: ExplainedValue, { insideCount, outsideCount }: Explanation): ExplainedWords {
    const insideShare = value.inside / insideCount;
    const outsideShare = value.outside / outsideCount;
    return {
      parts: toParts(value),
      insideShare,
      outsideShare,
      ratio: toRatio(insideShare, outsideShare),
      certainty: toCertainty(value.certainty, insideShare > outsideShare),
      hit: toHit(value),
      difference: t('explain.difference', {
        low: formatSigned(value.difference.low * 100, 1),
        high: formatSigned(value.difference.high * 100, 1),
      }),
    };
  }

  function toRatio(insideShare: number, outsideShare: number): string {
    if (outsideShare === 0) return t('explain.insideOnly');
    if (insideShare === 0) return t('explain.outsideOnly');
    return t('explain.ratio', { times: formatTimes(insideShare / outsideShare) });
  }

  function toCertainty(certainty: ExplainedValue['certainty'], isMore: boolean): string {
    if (certainty === 'certain') return isMore ? t('explain.certainlyMore') : t('explain.certainlyRarer');
    if (certainty === 'probable') return isMore ? t('explain.probablyMore') : t('explain.probablyRarer');
    return t('explain.chance');
  }

  /** What stands first, or that nothing is sure. */
  function toSentence(explanation: Explanation): string {
    const [first] = explanation.values;
    if (first === undefined || first.certainty === 'chance') return t('explain.nothingSure');
    const { parts, insideShare, outsideShare } = toWords(first, explanation);
    // The message itself decides whether the field's name begins with a small letter there: in German it doesn't.
    const named = parts.map(({ field, value: text, isNone, isPattern }, place) => {
      if (isNone) return t('explain.without', { field: `detail.fields.${first.terms[place]?.field ?? ''}` });
      return `${field} ${isPattern ? t('explain.quoted', { text: spellPattern(text) }) : text}`;
    });
    const value = named.join(` ${t('explain.with')} `);
    if (outsideShare === 0) return t('explain.onlyHere', { value });
    const times = insideShare / outsideShare;
    if (times < 1) return t('explain.rarer', { value });
    const text = formatTimes(times);
    // A ratio that is printed as one says nothing.
    return text === formatTimes(1)
      ? t('explain.more', { value })
      : t('explain.times', { value, times: text });
  }

  /** Whose records these are: requests alone don't tell one customer from all of them. */
  function toHit({ sessionCount, clientCount }: Pick<Explanation, 'sessionCount' | 'clientCount'>): string {
    return t('explain.hit', {
      sessions: t('explain.sessions', { count: formatCount(sessionCount) }, sessionCount),
      clients: t('explain.clients', { count: formatCount(clientCount) }, clientCount),
    });
  }

  function spellPattern(pattern: string): string {
    return toPatternParts(pattern)
      .map((part) => ('folded' in part ? t(`detail.families.folded.${part.folded}`) : part.text))
      .join('');
  }

  /** How sure it is that the medians differ; '' where there is too little to tell. */
  function toMedianWords({ inside, outside, certainty }: ExplainedTimes): string {
    if (certainty === null) return '';
    const isLonger = (inside.medianMs ?? 0) > (outside.medianMs ?? 0);
    if (certainty === 'certain') return isLonger ? t('explain.longer') : t('explain.shorter');
    if (certainty === 'probable')
      return isLonger ? t('explain.probablyLonger') : t('explain.probablyShorter');
    return t('explain.sameTime');
  }

  /** The explanation as plain lines: the sentence, then each value with its shares and counts. */
  function toText(
    explanation: Explanation,
    values: readonly ExplainedValue[],
    kind: Selection['kind'],
  ): string {
    const lines = values.map((value) => {
      const { parts, insideShare, outsideShare, ratio, hit, certainty } = toWords(value, explanation);
      return [
        parts.map((part) => `${part.field} = ${part.value}`).join(` ${t('explain.and')} `),
        `${formatPercent(insideShare)} (${formatCount(value.inside)})`,
        `${formatPercent(outsideShare)} (${formatCount(value.outside)})`,
        ratio,
        certainty,
        hit,
      ].join('\t');
    });
    const inside = t('explain.inside', { count: formatCount(explanation.insideCount) });
    const outside = t(`explain.outside.${kind}`, { count: formatCount(explanation.outsideCount) });
    return [toSentence(explanation), toHit(explanation), ['', inside, outside].join('\t'), ...lines].join(
      '\n',
    );
  }

  return { toWords, toSentence, toHit, toMedianWords, toText };
}

function formatTimes(ratio: number): string {
  return formatCount(ratio, ratio >= LARGE_RATIO ? 0 : 1);
}
