import { useWindowSize } from '@vueuse/core';
import { computed, onMounted, ref, watch, type Ref, type ShallowUnwrapRef } from 'vue';
import { MAX_SHOWN_PATHS } from '../../../../src-main/common/model/records/body-paths.ts';
import type { Affected } from '../../../../src-main/common/model/records/record-fields.ts';
import { useNarrowWindow } from '../../../composables/use-narrow-window.ts';
import { isOwnField } from '../../../../src-main/common/model/records/body-path.ts';
import { useOwnFields } from '../../../stores/connections/own-fields.ts';
import { useAppStore } from '../../../stores/window/app.ts';

/** Below this width of the window the fields wait until they are asked for. */
const WIDE_WINDOW_PX = 1280;
const PANEL_PX = 220;
const INSPECTOR_PX = 388;
/** Date, Code, Error, Response, Channel and Service, as the table sets them up. */
const TABLE_PX = 752;

/** What `useFieldsPanel` returns, as a reactive object. */
export type FieldsPanelState = ShallowUnwrapRef<ReturnType<typeof useFieldsPanel>>;

/**
 * Whether the fields are shown beside the records, and which are folded, as the person left them. Until they have been
 * opened or closed, they are open where they leave the table room for its first columns; what is opened beside the table
 * later doesn't close them. In a narrow window they lie over the records, and are opened each time.
 */
export function useFieldsPanel(
  /** What holds the panel and the table; the inspector stands beside it. */
  box: Readonly<Ref<HTMLElement | null>>,
  isInspectorOpen: () => boolean,
) {
  const app = useAppStore();
  const isNarrow = useNarrowWindow();
  const isOver = ref(false);
  const hasRoom = ref(false);
  const { width } = useWindowSize();
  const saved = computed(() => app.settings?.fieldsPanel ?? { folded: [] });
  const isOpen = computed(() => (isNarrow.value ? isOver.value : (saved.value.open ?? hasRoom.value)));
  const folded = computed(() => new Set(saved.value.folded));
  const affected = computed(() => saved.value.affected ?? null);
  const ownFields = useOwnFields();
  /** What another connection has in its own tables is no field of this one. */
  const paths = computed(() =>
    (saved.value.paths ?? []).filter(
      (path) => !isOwnField(path) || ownFields.value.some(({ field }) => field === path),
    ),
  );

  function measure(): void {
    const room = box.value?.parentElement?.clientWidth ?? 0;
    const taken = PANEL_PX + (isInspectorOpen() ? INSPECTOR_PX : 0);
    hasRoom.value = width.value >= WIDE_WINDOW_PX && room - taken >= TABLE_PX;
  }

  function toggle(): void {
    if (isNarrow.value) isOver.value = !isOver.value;
    else void app.update({ fieldsPanel: { ...saved.value, open: !isOpen.value } });
  }

  function fold(field: string, isFolded: boolean): void {
    const rest = saved.value.folded.filter((other) => other !== field);
    void app.update({ fieldsPanel: { ...saved.value, folded: isFolded ? [...rest, field] : rest } });
  }

  function setAffected(affected: Affected | null): void {
    const rest = { ...saved.value };
    delete rest.affected;
    void app.update({ fieldsPanel: affected === null ? rest : { ...rest, affected } });
  }

  function setPaths(next: readonly string[]): void {
    const elsewhere = (saved.value.paths ?? []).filter((path) => !paths.value.includes(path));
    void app.update({
      fieldsPanel: { ...saved.value, paths: [...elsewhere, ...next].slice(-MAX_SHOWN_PATHS) },
    });
  }

  onMounted(measure);
  watch(width, measure, { flush: 'post' });

  return { isOpen, folded, affected, paths, toggle, fold, setAffected, setPaths };
}
