import type { FilterPart, RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { isAbout } from '../../../../src-main/common/query/filter-tree.ts';
import { NO_FILTER } from '../../../filters/filter.ts';
import { useI18n } from 'vue-i18n';
import type {
  ExplainedTerm,
  ExplainedTimes,
  ExplainedValue,
  Explanation,
} from '../../../../src-main/common/model/analysis/comparison.ts';
import { isBodyField, isNamedField } from '../../../../src-main/common/model/records/body-path.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import { spellPattern } from '../../../components/errors/pattern-parts.ts';
import { useNames } from '../../../names/use-names.ts';
import { formatCount, formatPercent, formatSigned } from '../../../format/formats.ts';

/** Records that are compared with the rest of those that a filter leaves. */
interface Selection {
  readonly kind: 'time' | 'area' | 'filter';
  readonly selection: RecordFilter;
  readonly filter: RecordFilter;
}

const isChosenTime = (part: FilterPart): boolean => part.exclude !== true && isAbout(part, 'dateMs');
/** How long records took, and that this is known. */
const isDuration = (part: FilterPart): boolean =>
  isAbout(part, 'responseTimeMs') || isAbout(part, 'botLatencyMs');

/**
 * Returns what of a filter is the selection: its time, which is compared with the other times of the same records, or with
 * `isArea` what it says of times and of how long records took; without one all of it, which is compared with all other
 * records. Null for a filter that chooses nothing.
 */
export function splitSelection(filter: RecordFilter, isArea = false): Selection | null {
  const { conditions } = filter;
  if (conditions.length === 0) return null;
  const hasDuration = isArea && conditions.some(isDuration);
  const isChosen = (part: FilterPart): boolean => isChosenTime(part) || (hasDuration && isDuration(part));
  const chosen = conditions.filter(isChosen);
  if (chosen.length === 0) return { kind: 'filter', selection: filter, filter: NO_FILTER };
  return {
    kind: hasDuration ? 'area' : 'time',
    selection: { conditions: chosen },
    filter: { conditions: conditions.filter((part) => !isChosen(part)) },
  };
}

/** From here on a ratio needs no digit after the point. */
const LARGE_RATIO = 10;

/** A value as it is printed. */
export interface ExplainedWords {
  readonly parts: readonly {
    readonly field: string;
    /** The field's name is that of a path, in whichever language. */
    readonly isPath: boolean;
    readonly value: string;
    readonly isNone: boolean;
    /** The value is a pattern of errors, with places for what varies. */
    readonly isPattern: boolean;
  }[];
  readonly insideShare: number;
  readonly outsideShare: number;
  readonly ratio: string;
  readonly certainty: string;
  /** Sessions and clients inside that have it; of a sample, how large it is. */
  readonly hit: string;
  readonly difference: string;
}

/** Words for what sets a selection apart. */
export function useExplainWords() {
  const { t } = useI18n();
  const names = useNames();

  function toParts({ terms }: ExplainedValue): ExplainedWords['parts'] {
    return terms.map((term) => ({
      field: toFieldName(term),
      isPath: isBodyField(term.field) && term.measure === undefined,
      isNone: term.value === null,
      isPattern: term.field === 'errorFamily' && term.value !== null,
      value: toValueText(term),
    }));
  }

  function toFieldName({ field, measure }: ExplainedTerm): string {
    const name = isBodyField(field) ? field : t(`detail.fields.${field}`);
    return measure === undefined ? name : t(`explain.bodies.of.${measure}`, { path: name });
  }

  function toValueText({ field, value, measure }: ExplainedTerm): string {
    if (value === null) return t('explain.none');
    if (measure === 'type') return t(`detail.paths.types.${String(value)}`);
    if (measure !== undefined) {
      const low = Number(value);
      // Of none, or one, there is no range.
      if (low < 2) return formatCount(low);
      return t('explain.bodies.range', { low: formatCount(low), high: formatCount(2 * low - 1) });
    }
    return isNamedField(field) ? names.toText(field, value) : toVisible(String(value));
  }

  function toWords(value: ExplainedValue, { insideCount, outsideCount }: Explanation): ExplainedWords {
    const { among } = value;
    const isSample = among !== undefined && (among.inside < insideCount || among.outside < outsideCount);
    const insideShare = value.inside / (among?.inside ?? insideCount);
    const outsideShare = value.outside / (among?.outside ?? outsideCount);
    return {
      parts: toParts(value),
      insideShare,
      outsideShare,
      ratio: toRatio(insideShare, outsideShare),
      certainty: toCertainty(value.certainty, insideShare > outsideShare),
      hit: isSample
        ? t('explain.bodies.ofSample', {
            inside: formatCount(among.inside),
            outside: formatCount(among.outside),
          })
        : toHit(value),
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
      const own = first.terms[place]?.field ?? '';
      if (isNone && isBodyField(own)) return t('explain.bodies.withoutPath', { path: own });
      if (isNone) return t('explain.without', { field: `detail.fields.${own}` });
      return `${field} ${isPattern ? t('explain.quoted', { text: spellPattern(text, (kind) => t(`detail.families.folded.${kind}`)) }) : text}`;
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
