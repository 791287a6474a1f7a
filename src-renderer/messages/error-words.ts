import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { useI18n } from 'vue-i18n';
import type { ErrorLike } from './error-like.ts';

export interface ErrorWords {
  readonly title: string;
  /** What happened. */
  readonly text: string;
  /** What the person can do. */
  readonly action: string;
}

/** The window's words for an error, by its code. A code without words gets those of an unexpected error. */
export function useErrorWords(error: MaybeRefOrGetter<ErrorLike>): ComputedRef<ErrorWords> {
  const say = useErrorSpeaker();
  return computed(() => say(toValue(error)));
}

/** The same for errors that are met one by one. */
export function useErrorSpeaker(): (error: ErrorLike) => ErrorWords {
  const { t, te } = useI18n();
  return (error) => {
    const code = te(`errors.${error.code}.title`) ? error.code : 'app.bug';
    const details = { ...error.details };
    return {
      title: t(`errors.${code}.title`, details),
      text: t(`errors.${code}.text`, details),
      action: t(`errors.${code}.action`, details),
    };
  };
}
