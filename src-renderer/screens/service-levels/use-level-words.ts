import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from '@lucide/vue';
import type { Component } from 'vue';
import { useI18n } from 'vue-i18n';
import type { LevelState } from '../../../src-main/common/model/connections/service-level.ts';
import { createLevelSentences } from '../../../src-main/common/words/level-words.ts';
import type { ItemTone } from '../../components/items/listed-item.ts';
import { formatDay, formatMonth } from '../../format/dates.ts';
import { formatCount, formatExactPercent, formatRoundPercent, formatSpan } from '../../format/numbers.ts';

/** How each state looks. */
export const LEVEL_LOOKS: Readonly<
  Record<LevelState, { readonly icon: Component; readonly tone: ItemTone }>
> = {
  met: { icon: CircleCheck, tone: 'good' },
  'met-watched': { icon: CircleCheck, tone: 'good' },
  'met-so-far': { icon: CircleCheck, tone: 'good' },
  'at-risk': { icon: TriangleAlert, tone: 'partial' },
  missed: { icon: CircleX, tone: 'bad' },
  'not-known': { icon: CircleDashed, tone: 'partial' },
};

/** Returns functions that put service levels into words. */
export function useLevelWords(): ReturnType<typeof createLevelSentences> {
  const { t } = useI18n();
  return createLevelSentences({
    t: (key, values, count) => (count === undefined ? t(key, values ?? {}) : t(key, values ?? {}, count)),
    formats: { formatCount, formatDay, formatExactPercent, formatMonth, formatRoundPercent, formatSpan },
  });
}
