import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Input } from '../../src-main/common/contract/index.ts';
import { useBackend } from '../backend/backend.ts';
import { useTasksStore } from './tasks.ts';

/** What a person says about a file that is imported. */
export type ImportChoice = Pick<Input<'imports/start'>, 'connectionId' | 'report'>;

/** Imports into the Library: the dialog that starts them, and the newest of them. */
export const useImportsStore = defineStore('imports', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  const isOpen = ref(false);
  /** The file that was dropped on the window, or chosen in the page; null where the host asks for it. */
  const file = shallowRef<File | null>(null);
  const taskId = ref<string | null>(null);
  /** Cancels the sending of a file to the host; null while none is sent. */
  const sending = shallowRef<(() => void) | null>(null);

  const task = computed(() => tasks.find(taskId.value));
  const isRunning = computed(
    () => sending.value !== null || task.value?.state === 'running' || task.value?.state === 'queued',
  );
  /** The page has to choose the file itself: the host of a browser has no dialog. */
  const choosesInPage = backend.upload !== undefined;

  /** Opens the dialog, for a file that is at hand or one that is still to be chosen. */
  function open(given: File | null = null): void {
    isOpen.value = true;
    if (isRunning.value) return;
    choose(given);
  }

  function close(): void {
    isOpen.value = false;
  }

  /** Takes a file that was chosen in the page. */
  function choose(given: File | null): void {
    taskId.value = null;
    file.value = given;
  }

  /** Starts the import; does nothing when the person closed the host's dialog, or cancelled the sending. */
  async function start(choice: ImportChoice): Promise<void> {
    const given = file.value;
    const uploadId = given === null ? null : await offer(given);
    if (given !== null && uploadId === null) return;
    const started = await backend.call('imports/start', { ...choice, uploadId });
    if (started.taskId !== null) taskId.value = started.taskId;
  }

  async function offer(given: File): Promise<string | null> {
    const controller = new AbortController();
    sending.value = () => controller.abort();
    try {
      return (await backend.offerFile?.(given, controller.signal)) ?? null;
    } catch (thrown) {
      if (controller.signal.aborted) return null;
      throw thrown;
    } finally {
      sending.value = null;
    }
  }

  async function cancel(): Promise<void> {
    sending.value?.();
    if (taskId.value !== null && isRunning.value) await tasks.cancel(taskId.value);
  }

  return {
    isOpen,
    file,
    task,
    sending,
    isRunning,
    choosesInPage,
    open,
    close,
    choose,
    start,
    cancel,
  } as const;
});
