import { useI18n } from 'vue-i18n';
import { useErrorFormatter } from './error-words.ts';

/**
 * Returns a function that says whether a service is reached. Where nothing was sent to it, the reason is all that is
 * known; `failure` is its code.
 */
export function useReachWords(): (
  reach: 'online' | 'offline' | 'refused' | 'not-checked' | 'not-asked',
  failure: string | null,
) => string {
  const { t } = useI18n();
  const formatError = useErrorFormatter();
  return (reach, failure) =>
    reach === 'not-asked' ? formatError({ code: failure ?? '' }).title : t(`shell.reach.${reach}`);
}
