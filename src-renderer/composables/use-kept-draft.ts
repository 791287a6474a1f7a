import { computed, ref, watch, type ComputedRef, type Ref } from 'vue';

const PREFIX = 'channelscope.draft:';

/** Returns what was kept of a subject in this window; null where nothing was. */
export function readKept(subject: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + subject) ?? 'null') as unknown;
  } catch {
    return null;
  }
}

/** Keeps a draft of a subject for this window; null forgets it. */
export function writeKept(subject: string, draft: unknown): void {
  try {
    if (draft === null) sessionStorage.removeItem(PREFIX + subject);
    else sessionStorage.setItem(PREFIX + subject, JSON.stringify(draft));
  } catch {
    // Without storage it lives as long as the screen.
  }
}

/**
 * Keeps what was typed of a subject, such as `alert:7`, for this window until it is saved or discarded: leaving the
 * screen, another connection and a reload don't lose it. `omit` takes out what must not be written anywhere.
 */
export function useKeptDraft<Value extends object>(
  subject: string,
  draft: Ref<Value>,
  readSaved: () => Value,
  omit: (value: Value) => Value = (value) => value,
): {
  readonly isRestored: Readonly<Ref<boolean>>;
  readonly isChanged: ComputedRef<boolean>;
  /** Shows what is saved again. */
  discard(): void;
  forget(): void;
} {
  const isRestored = ref(false);
  let isOver = false;

  const found = readKept(subject);
  if (typeof found === 'object' && found !== null) {
    draft.value = { ...draft.value, ...(found as Value) };
    isRestored.value = true;
  }

  function keep(): void {
    if (isOver) return;
    const typed = omit(draft.value);
    writeKept(subject, JSON.stringify(typed) === JSON.stringify(omit(readSaved())) ? null : typed);
  }
  watch([draft, () => JSON.stringify(readSaved())], keep, { deep: true, flush: 'sync' });

  return {
    isRestored,
    isChanged: computed(() => JSON.stringify(omit(draft.value)) !== JSON.stringify(omit(readSaved()))),
    discard(): void {
      draft.value = readSaved();
      isRestored.value = false;
    },
    /** It was saved, or given up: what is done with it from now on is not kept. */
    forget(): void {
      isOver = true;
      writeKept(subject, null);
    },
  };
}
