import { ref, shallowRef, type Ref } from 'vue';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

export interface Attempt {
  readonly isRunning: Readonly<Ref<boolean>>;
  /** Why the last work failed; null while it runs and once it succeeded. */
  readonly error: Readonly<Ref<ErrorLike | null>>;
  /** Runs the work; resolves to true when it succeeded. */
  attempt(work: () => unknown): Promise<boolean>;
  clearError(): void;
}

/** Runs work that may fail, and keeps its progress and its error for a control to show. */
export function useAttempt(): Attempt {
  const isRunning = ref(false);
  const error = shallowRef<ErrorLike | null>(null);

  async function attempt(work: () => unknown): Promise<boolean> {
    isRunning.value = true;
    error.value = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      error.value = toErrorLike(thrown);
      return false;
    } finally {
      isRunning.value = false;
    }
  }

  function clearError(): void {
    error.value = null;
  }

  return { isRunning, error, attempt, clearError };
}
