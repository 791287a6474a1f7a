import { computed, type ComputedRef } from 'vue';
import {
  BookOpenCheck,
  Download,
  GitCompareArrows,
  PackageOpen,
  Pause,
  PencilLine,
  Pin,
  PinOff,
  Play,
  ReceiptText,
  RotateCcw,
  ShieldCheck,
  Table2,
  Trash2,
  X,
} from '@lucide/vue';
import { useI18n } from 'vue-i18n';
import type { MenuSection } from '../../../components/controls/menu-section.ts';
import { ACTION_GROUPS, type SnapshotAction } from './snapshot-actions.ts';

/** Shown even where they don't apply, so that the menu keeps its shape. */
const ALWAYS: readonly SnapshotAction[] = [
  'open',
  'details',
  'verify',
  'readAgain',
  'rename',
  'export',
  'share',
  'delete',
];
const ICONS = {
  open: Table2,
  details: ReceiptText,
  pause: Pause,
  resume: Play,
  retry: RotateCcw,
  cancel: X,
  refresh: GitCompareArrows,
  verify: ShieldCheck,
  readAgain: BookOpenCheck,
  pin: Pin,
  unpin: PinOff,
  rename: PencilLine,
  export: Download,
  share: PackageOpen,
  delete: Trash2,
};

/** The menu of the selected snapshots. */
export function useActionSections(
  canDo: (action: SnapshotAction) => boolean,
  act: (action: SnapshotAction) => void,
): ComputedRef<readonly MenuSection[]> {
  const { t } = useI18n();
  return computed(() =>
    ACTION_GROUPS.map((group) => ({
      items: group
        .filter((action) => ALWAYS.includes(action) || canDo(action))
        .map((action) => ({
          label: t(`library.action.${action}`),
          icon: ICONS[action],
          isOff: !canDo(action),
          select: () => act(action),
        })),
    })),
  );
}
