import { computed } from 'vue';
import { useI18n } from 'vue-i18n';
import { DAY_MS } from '../../../../src-main/common/time/durations.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useLoaded } from '../../../composables/use-loaded.ts';
import { useNames } from '../../../names/use-names.ts';
import { useAlertWords } from '../alert-words.ts';
import { ANY, readPlace, type PlaceField, type RecordCondition } from './sentence-choices.ts';

const LOOKED_BACK_MS = 14 * DAY_MS;

/** The channels and services that can be chosen: those of the cached records, those with names, and the chosen one. */
export function usePlaces(readConnectionId: () => string, readCondition: () => RecordCondition | null) {
  const { t } = useI18n();
  const backend = useBackend();
  const names = useNames();
  const words = useAlertWords();

  const { value: facets } = useLoaded([readConnectionId, () => readCondition()?.direction], async () => {
    const direction = readCondition()?.direction;
    if (direction === undefined) return null;
    const toMs = Date.now();
    return backend.call('records/read-facets', {
      scope: {
        connectionId: readConnectionId(),
        report: `${direction}-detail`,
        fromMs: toMs - LOOKED_BACK_MS,
        toMs,
      },
      filter: { conditions: [] },
    });
  });

  function listPlaces(field: PlaceField) {
    const condition = readCondition();
    const chosen = condition === null ? ANY : readPlace(condition.filter, field);
    const found = facets.value?.[field === 'channel' ? 'channels' : 'services'] ?? [];
    const named = names.list.filter((entry) => entry.field === field).map(({ value }) => Number(value));
    const values = [
      ...found.map(({ value }) => value),
      ...named,
      ...(chosen === ANY ? [] : [Number(chosen)]),
    ];
    const any = field === 'channel' ? t('alerts.choices.anyChannel') : t('alerts.choices.anyService');
    return [
      { value: ANY, label: any },
      ...[...new Set(values)]
        .sort((a, b) => a - b)
        .map((value) => ({ value: String(value), label: words.toPlace(field, value) })),
    ];
  }

  const places = computed(() => ({ channel: listPlaces('channel'), service: listPlaces('service') }));
  return { places };
}
