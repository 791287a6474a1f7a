import { useI18n } from 'vue-i18n';
import { useNames } from '../../../composables/use-names.ts';
import { FARTHEST_FACTOR, roundFactor, toAttentionWords, type Attention } from './attention-words.ts';

/** Returns a function that names a finding in one line, without its numbers. */
export function useAttentionTitle(): (item: Attention) => string {
  const { t } = useI18n();
  const names = useNames();
  return (item) => {
    const { factor, title, place } = toAttentionWords(item);
    const values = {
      place: t(`overview.attention.${place}`, {
        channel: names.toText('channel', item.channel ?? ''),
        service: names.toText('service', item.service ?? ''),
      }),
      factor: roundFactor(factor ?? 0),
    };
    const isFar = factor !== null && factor >= FARTHEST_FACTOR;
    return t(`overview.attention.${title}${isFar ? 'Far' : ''}`, values);
  };
}
