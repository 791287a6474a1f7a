import { useI18n } from 'vue-i18n';
import { FARTHEST_FACTOR, roundFactor, toAttentionWords, type Attention } from './attention-words.ts';

/** Returns a function that names a finding in one line, without its numbers. */
export function useAttentionTitle(): (item: Attention) => string {
  const { t } = useI18n();
  return (item) => {
    const { factor, title, place } = toAttentionWords(item);
    const values = {
      place: t(`overview.attention.${place}`, { channel: item.channel ?? '', service: item.service ?? '' }),
      factor: roundFactor(factor ?? 0),
    };
    const isFar = factor !== null && factor >= FARTHEST_FACTOR;
    return t(`overview.attention.${title}${isFar ? 'Far' : ''}`, values);
  };
}
