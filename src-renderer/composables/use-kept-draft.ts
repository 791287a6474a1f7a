import { ref, watch, type Ref } from 'vue';

const PREFIX = 'channelscope.draft:';

function tryRead(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    return null;
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
): { readonly isRestored: Readonly<Ref<boolean>>; forget(): void } {
  const key = PREFIX + subject;
  const isRestored = ref(false);
  let isOver = false;

  const found = tryRead(key);
  if (typeof found === 'object' && found !== null) {
    draft.value = { ...draft.value, ...(found as Value) };
    isRestored.value = true;
  }

  function keep(): void {
    if (isOver) return;
    const text = JSON.stringify(omit(draft.value));
    try {
      if (text === JSON.stringify(omit(readSaved()))) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, text);
    } catch {
      // Without storage it lives as long as the screen.
    }
  }
  watch([draft, () => JSON.stringify(readSaved())], keep, { deep: true, flush: 'sync' });

  return {
    isRestored,
    /** It was saved, or given up: what is done with it from now on is not kept. */
    forget(): void {
      isOver = true;
      sessionStorage.removeItem(key);
    },
  };
}
