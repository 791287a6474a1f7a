import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { useI18n } from 'vue-i18n';
import { MINUTE_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import { writeUnreadable } from '../../src-main/common/words/unreadable-file.ts';
import { formatRecentClock, getLocalZone, formatCount } from '../format/formats.ts';
import type { ErrorLike } from './error-like.ts';

const MAX_SAID_CHARACTERS = 500;

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
  /** What the service said; a refusal with status 200 has all of its body for words. */
  const toSaid = (code: string, { said, body }: Readonly<Record<string, string | number>>): string[] => {
    const words = String(said ?? (code === 'client.invalid-request' ? (body ?? '') : '')).trim();
    return words === '' ? [] : [t('common.serviceSaid', { words: words.slice(0, MAX_SAID_CHARACTERS) })];
  };
  return (error) => {
    const code = te(`errors.${error.code}.title`) ? error.code : 'app.bug';
    const details: Record<string, string | number> = { ...error.details };
    const { retryAfterMs, retryAtMs, reason, status } = details;
    const waitMs = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
    const minutes = Math.ceil(waitMs / MINUTE_MS);
    const choose = (usual: string, ...better: readonly string[]): string =>
      `errors.${code}.${better.find((name) => te(`errors.${code}.${name}`)) ?? usual}`;
    const texts = [`reasons.${reason ?? ''}`];
    if (waitMs >= MINUTE_MS && typeof retryAtMs === 'number') {
      details['time'] = formatRecentClock(retryAtMs, Date.now(), getLocalZone());
      texts.push('textWithTime');
    }
    if (waitMs >= MINUTE_MS) texts.push('textWithWait');
    if (typeof details['location'] === 'string' && details['location'] !== '') texts.push('textWithLocation');
    if (status !== undefined) texts.push('textWithStatus');
    // The reason may be the code of another error.
    if (te(`errors.${reason ?? ''}.title`)) {
      details['cause'] = t(`errors.${reason ?? ''}.title`);
      texts.push('textWithCause');
    }
    // A file that can't be imported: `reason` is English.
    if (code === 'imports.unreadable') details['reason'] = writeUnreadable(t, details) || (reason ?? '');
    const seconds = formatCount(Math.ceil(waitMs / SECOND_MS));
    return {
      title: t(choose('title', ...(waitMs > 0 ? ['titleWithSeconds'] : [])), { ...details, seconds }),
      text: [
        t(choose('text', ...texts), { ...details, minutes: formatCount(minutes) }, minutes),
        ...toSaid(code, details),
      ].join(' '),
      action: t(choose('action', `actions.${reason ?? ''}`), details),
    };
  };
}
