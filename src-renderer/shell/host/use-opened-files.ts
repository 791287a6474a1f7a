import { onScopeDispose } from 'vue';
import { useBackend } from '../../backend/backend.ts';
import { useImportsStore } from '../../stores/cache/downloads.ts';

/** Opens the import of files that are opened with the application, also of one from before the page was there. */
export function useOpenedFiles(): void {
  const backend = useBackend();
  const imports = useImportsStore();

  async function take(): Promise<void> {
    const file = await backend.call('imports/take-opened-file', null);
    if (file !== null) imports.open(file);
  }
  // Where the host doesn't respond, the window shows that as a whole.
  const tryToTake = (): void => void take().catch(() => undefined);
  onScopeDispose(backend.on('imports/file-opened', tryToTake));
  tryToTake();
}
