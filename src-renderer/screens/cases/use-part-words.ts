import {
  Braces,
  ChartColumn,
  MessagesSquare,
  Siren,
  SquareTerminal,
  Table2,
  TableProperties,
} from '@lucide/vue';
import type { Component } from 'vue';
import { useI18n } from 'vue-i18n';
import type { PartKind } from '../../../src-main/common/model/cases/case.ts';
import { createCaseSentences } from '../../../src-main/common/words/case-words.ts';
import { formatExact } from '../../format/dates.ts';
import { formatCount, formatSpan } from '../../format/numbers.ts';

/** The picture of each kind of part. */
export const PART_ICONS: Readonly<Record<PartKind, Component>> = {
  records: Table2,
  record: Braces,
  conversation: MessagesSquare,
  finding: Siren,
  chart: ChartColumn,
  table: TableProperties,
  query: SquareTerminal,
};

/** Returns functions that put parts of cases into words. */
export function usePartWords(): ReturnType<typeof createCaseSentences> {
  const { t } = useI18n();
  return createCaseSentences({
    t: (key, values, count) => (count === undefined ? t(key, values ?? {}) : t(key, values ?? {}, count)),
    formats: { formatCount, formatExact, formatSpan },
  });
}
