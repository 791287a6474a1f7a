import { computed, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatClock, formatClockSeconds, formatRecentClock } from '../../format/formats.ts';
import type { ErrorLike } from '../../messages/error-like.ts';
import { useOverviewStore } from '../../stores/analysis/overview.ts';
import { useStatusStore } from '../../stores/connections/status.ts';
import { useClockStore } from '../../stores/window/times.ts';
import type { useStatusFigures } from './health/health.ts';

/** One of the calls that the screen is filled by. */
interface Source {
  /** Why its last call failed; null where it did not. */
  readonly error: ErrorLike | null;
  /** From when that is what it last brought; null where it never brought anything. */
  readonly atMs: number | null;
}

/** True where something could not be refreshed. */
export interface StaleScreen {
  /** Why. */
  readonly error: ErrorLike;
  /** True where nothing could be refreshed. */
  readonly isAll: boolean;
  /** The time of the oldest part that is shown; null where none is shown. */
  readonly atMs: number | null;
}

/** What of the Overview could not be refreshed, although the application was asked: its calls themselves failed. */
export function useStaleParts(
  parts: {
    readonly measured: Pick<ReturnType<typeof useStatusFigures>, 'error' | 'readAtMs'>;
    readonly findings: { readonly error: ErrorLike | null; readonly readAtMs: number | null };
  },
  view: { readonly zone: Readonly<Ref<string>>; readonly nowMs: Readonly<Ref<number>> },
) {
  const { t } = useI18n();
  const status = useStatusStore();
  const overview = useOverviewStore();

  const sources = computed(() => ({
    check: { error: status.error, atMs: status.latest?.checkedAtMs ?? null },
    history: { error: status.historyError, atMs: status.historyAtMs },
    measured: { error: parts.measured.error.value, atMs: parts.measured.readAtMs.value },
    volume: { error: overview.error, atMs: overview.readAtMs },
    findings: { error: parts.findings.error, atMs: parts.findings.readAtMs },
  }));

  /** The oldest of what failed sources brought. */
  function findOldest(failed: readonly Source[]): number | null {
    const times = failed.flatMap(({ atMs }) => atMs ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }
  function describe(...parts: readonly Source[]): string | undefined {
    const failed = parts.filter(({ error }) => error !== null);
    if (failed.length === 0) return undefined;
    const atMs = findOldest(failed);
    if (atMs === null) return t('overview.stale.never');
    return t('overview.stale.card', { time: formatRecentClock(atMs, view.nowMs.value, view.zone.value) });
  }

  /** For the cards: from when each is; undefined where it is current. */
  const notes = computed(() => {
    const { check, history, measured: figures, volume, findings: found } = sources.value;
    return {
      status: describe(check, history, figures),
      sessions: describe(check),
      volume: describe(volume),
      findings: describe(found),
    };
  });
  /** For the screen as a whole; null where all of it is current. */
  const screen = computed<StaleScreen | null>(() => {
    const all = Object.values(sources.value);
    const failed = all.filter(({ error }) => error !== null);
    const error = failed[0]?.error ?? null;
    if (error === null) return null;
    return { error, isAll: failed.length === all.length, atMs: findOldest(failed) };
  });
  return { notes, screen };
}

/** The status of the active connection as the Overview shows it. */
export function useStatusView() {
  const { t } = useI18n();
  const clock = useClockStore();
  const status = useStatusStore();

  const zone = computed(() => clock.zone);
  /** Code of why the newest check failed; null when it did not. */
  const failure = computed(() => status.latest?.failure ?? null);
  /** The newest sample with a response of the service. */
  const lastReported = computed(() =>
    status.latest?.failure === null ? status.latest : (status.history?.lastAnswered ?? null),
  );
  /** What the service said last is what it says now. */
  const isCurrent = computed(() => failure.value === null && status.error === null);
  /** How old the data is, for the toolbar. */
  const ageNote = computed(() => {
    if (lastReported.value === null) return t('overview.neverRefreshed');
    const { checkedAtMs } = lastReported.value;
    return isCurrent.value
      ? t('overview.refreshedAt', { time: formatClockSeconds(checkedAtMs, zone.value) })
      : t('overview.dataFrom', { time: formatClock(checkedAtMs, zone.value) });
  });

  return { zone, failure, isCurrent, lastReported, ageNote };
}
