import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatCount } from '../format/numbers.ts';
import type { ErrorLike } from './error-like.ts';

const MINUTE_MS = 60_000;

export interface ErrorWords {
  readonly title: string;
  /** What happened. */
  readonly text: string;
  /** What to do about it. */
  readonly action: string;
}

/** Words for an error, by its code. A code without words gets those of an unexpected error. */
export function useErrorWords(error: MaybeRefOrGetter<ErrorLike>): ComputedRef<ErrorWords> {
  const formatError = useErrorFormatter();
  return computed(() => formatError(toValue(error)));
}

/** Returns a function that puts one error after another into words. */
export function useErrorFormatter(): (error: ErrorLike) => ErrorWords {
  const { t, te } = useI18n();
  return (error) => {
    const code = te(`errors.${error.code}.title`) ? error.code : 'app.bug';
    const details: Record<string, string | number> = { ...error.details };
    const { retryAfterMs, reason, status } = details;
    const minutes = typeof retryAfterMs === 'number' ? Math.ceil(retryAfterMs / MINUTE_MS) : 0;
    const texts = [`reasons.${reason ?? ''}`];
    if (typeof retryAfterMs === 'number' && retryAfterMs >= MINUTE_MS) texts.push('textWithWait');
    if (status !== undefined) texts.push('textWithStatus');
    const text = texts.find((name) => te(`errors.${code}.${name}`)) ?? 'text';
    return {
      title: t(`errors.${code}.title`, details),
      text: t(`errors.${code}.${text}`, { ...details, minutes: formatCount(minutes) }, minutes),
      action: t(`errors.${code}.action`, details),
    };
  };
}
