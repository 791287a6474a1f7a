import { ArrowDown, ArrowUp, ChevronsDownUp, ChevronsUpDown, Plus, Trash2 } from '@lucide/vue';
import type { CaseChange } from '../../../src-main/common/model/cases/case.ts';
import type { MenuSection } from '../../components/controls/menu-section.ts';

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
