import { useI18n } from 'vue-i18n';
import type { Session, SessionRequest } from '../../src-main/common/model/records/session.ts';
import { useNames } from '../names/use-names.ts';
import { formatCount, formatDuration, formatSpan } from '../format/numbers.ts';

const MIN_SECONDS_MS = 1000;

/** Words for a session and its requests. */
export function useSessionWords() {
  const { t } = useI18n();
  const names = useNames();

  /** `5 messages, 7 requests`. */
  function countRequests({ inbound, outbound }: Session): string {
    return [
      t('session.inboundCount', { count: formatCount(inbound.requests) }, inbound.requests),
      t('session.outboundCount', { count: formatCount(outbound.requests) }, outbound.requests),
    ].join(', ');
  }

  /** `168 ms`, `63.7 s`, `2 min 39 s`. */
  function spellLength(lengthMs: number): string {
    if (lengthMs < MIN_SECONDS_MS) return formatDuration(lengthMs);
    if (lengthMs < 100 * MIN_SECONDS_MS) {
      return t('session.seconds', { count: formatCount(lengthMs / MIN_SECONDS_MS, 1) });
    }
    return formatSpan(lengthMs);
  }

  /**
   * How many requests, and how long they took from the first date to the last known end; no length where the records say
   * none.
   */
  function describeLength(session: Session): string {
    const { firstMs, lastMs, endMs, untimedCount } = session;
    const requests = countRequests(session);
    if (firstMs === null || lastMs === null) return requests;
    const lengthMs = Math.max(lastMs, endMs ?? lastMs) - firstMs;
    if (untimedCount === 0) return t('session.within', { requests, length: spellLength(lengthMs) });
    return lengthMs === 0
      ? requests
      : t('session.withinAtLeast', { requests, length: spellLength(lengthMs) });
  }

  function nameRequest({ direction, actionId }: SessionRequest): string {
    if (direction === 'inbound') return t('session.message');
    if (actionId === null || actionId === '') return t('session.request');
    if (actionId === '-1') return t('session.channel');
    return names.find('actionId', actionId) === null
      ? t('session.action', { id: actionId })
      : names.toText('actionId', actionId);
  }

  return { describeLength, spellLength, nameRequest };
}
