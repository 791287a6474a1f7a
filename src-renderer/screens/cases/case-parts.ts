import {
  ArrowDown,
  ArrowUp,
  ChevronsDownUp,
  ChevronsUpDown,
  Plus,
  Trash2,
  Braces,
  ChartColumn,
  MessagesSquare,
  Siren,
  SquareTerminal,
  Table2,
  TableProperties,
} from '@lucide/vue';
import type { CaseChange, PartKind } from '../../../src-main/common/model/cases/case.ts';
import type { MenuSection } from '../../components/controls/options.ts';
import type { Component } from 'vue';
import { useI18n } from 'vue-i18n';
import { createCaseSentences } from '../../../src-main/common/words/case-words.ts';
import { formatExact, formatCount, formatSpan } from '../../format/formats.ts';

/** What can be done with any part of a case, as the sections of its menu. */
export function toPartMenu(
  t: (key: string) => string,
  part: { readonly id: string; readonly isFolded: boolean; readonly place: number; readonly count: number },
  act: { change(change: CaseChange): void; addBelow(): void; remove(): void },
): MenuSection[] {
  const { id: partId, isFolded, place, count } = part;
  return [
    {
      items: [
        {
          label: t(isFolded ? 'cases.part.unfold' : 'cases.part.fold'),
          icon: isFolded ? ChevronsUpDown : ChevronsDownUp,
          select: () => act.change({ kind: 'fold', partId, isFolded: !isFolded }),
        },
        {
          label: t('cases.part.up'),
          icon: ArrowUp,
          isOff: place === 0,
          select: () => act.change({ kind: 'move', partId, place: place - 1 }),
        },
        {
          label: t('cases.part.down'),
          icon: ArrowDown,
          isOff: place + 1 >= count,
          select: () => act.change({ kind: 'move', partId, place: place + 1 }),
        },
        { label: t('cases.part.addBelow'), icon: Plus, select: () => act.addBelow() },
      ],
    },
    { items: [{ label: t('cases.part.remove'), icon: Trash2, select: () => act.remove() }] },
  ];
}

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
