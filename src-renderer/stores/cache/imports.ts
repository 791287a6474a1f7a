import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { OfferedFile } from '../../../src-main/common/contract/operations/imports.ts';
import { useBackend } from '../../backend/backend.ts';
import { useTasksStore } from '../window/tasks.ts';

/** What a person says about a file that is imported. */
export type ImportChoice = Pick<Input<'imports/start'>, 'connectionId' | 'report'>;

/** A file that is at hand: one of the page, which the host must be given first, or one that the host knows. */
type FileAtHand = File | OfferedFile;

/** Imports into the Library: the dialog that starts them, and the newest of them. */
export const useImportsStore = defineStore('imports', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  const isOpen = ref(false);
  /** The file that was dropped on the window, chosen in the page, or opened; null where the host asks for it. */
  const file = shallowRef<FileAtHand | null>(null);
  /** The file that came while another was imported: its turn is when that is over. */
  const next = shallowRef<FileAtHand | null>(null);
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
  function open(given: FileAtHand | null = null): void {
    isOpen.value = true;
    if (isRunning.value) next.value = given ?? next.value;
    else choose(given);
  }

  /** Closes the dialog, or goes on with the file that is next. */
  function close(): void {
    isOpen.value = next.value !== null && !isRunning.value;
    if (isOpen.value) choose(null);
  }

  /** Takes a file that was chosen in the page; null goes on with the one that waits, where one does. */
  function choose(given: FileAtHand | null): void {
    taskId.value = null;
    file.value = given ?? next.value;
    next.value = null;
  }

  /** Starts the import; does nothing when the person closed the host's dialog, or cancelled the sending. */
  async function start(choice: ImportChoice): Promise<void> {
    const given = file.value;
    const uploadId = given === null ? null : await identify(given);
    if (given !== null && uploadId === null) return;
    const started = await backend.call('imports/start', { ...choice, uploadId });
    if (started.taskId !== null) taskId.value = started.taskId;
  }

  /** Returns the host's id of a file; null when the person cancelled its sending. */
  async function identify(given: FileAtHand): Promise<string | null> {
    if (!(given instanceof File)) return given.uploadId;
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
    next,
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
