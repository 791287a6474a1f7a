import { onScopeDispose, shallowRef, watch } from 'vue';
import type { Output } from '../../../../src-main/common/contract/index.ts';
import { useExportsStore, type ExportRequest } from '../../../stores/records/exports.ts';

/** Clicks that follow one another ask once. */
const WAIT_MS = 200;

/** The beginning of the file that a request would write; null while there is none, the one before stays meanwhile. */
export function useExportPreview(readRequest: () => ExportRequest | null) {
  const store = useExportsStore();
  const preview = shallowRef<Output<'exports/preview'> | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;

  async function ask(request: ExportRequest): Promise<void> {
    const own = ++asked;
    // An export without a preview is an export all the same, and says itself what is wrong.
    const found = await store.preview(request).catch(() => null);
    if (own === asked) preview.value = found;
  }
  watch(
    () => JSON.stringify(readRequest()),
    () => {
      clearTimeout(timer);
      const request = readRequest();
      if (request === null) return;
      timer = setTimeout(() => void ask(request), WAIT_MS);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));
  return preview;
}
