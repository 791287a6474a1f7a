import { computed, type ComputedRef, ref, type Ref, watch } from 'vue';

/** A value each part of which can be written by itself. */
type Parts<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/**
 * Lets `v-model` of a control write one part of a value that is only ever replaced as a whole: reading a part
 * reads the value as it stands, and writing one asks for that change.
 */
export function createParts<Value extends object>(
  read: () => Value,
  change: (part: Partial<Value>) => void,
): Parts<Value> {
  return new Proxy({} as Parts<Value>, {
    get: (_, name) => Reflect.get(read(), name),
    set: (_, name, part) => {
      change({ [name]: part as unknown } as Partial<Value>);
      return true;
    },
  });
}

const PREFIX = 'channelscope.draft:';
const LEFT_PREFIX = 'channelscope.left:';
const WINDOW_KEY = 'channelscope.window';

/**
 * Leaves the drafts of a window that is closed, and the text of its SQL editor, for the next one that is opened: what was
 * typed goes on there. A reload keeps them by itself.
 */
export function handOnDrafts(
  page: Pick<Window, 'sessionStorage' | 'localStorage' | 'addEventListener'>,
  otherKeys: readonly string[],
): void {
  try {
    const { sessionStorage: own, localStorage: shared } = page;
    const known = own.getItem(WINDOW_KEY);
    const id = known ?? crypto.randomUUID();
    own.setItem(WINDOW_KEY, id);
    const left = Object.keys(shared).filter((key) => key.startsWith(LEFT_PREFIX));
    for (const key of known === null ? left : [LEFT_PREFIX + id]) {
      const text = shared.getItem(key) ?? '{}';
      // First of all: what can't be read would keep every later window from its drafts.
      shared.removeItem(key);
      const drafts = known === null ? (JSON.parse(text) as Record<string, unknown>) : {};
      for (const [name, draft] of Object.entries(drafts))
        if (typeof draft === 'string' && own.getItem(name) === null) own.setItem(name, draft);
    }
    page.addEventListener('pagehide', () => {
      const drafts = Object.keys(own).flatMap((name) => {
        const text = own.getItem(name) ?? '';
        const isDraft = name.startsWith(PREFIX) || otherKeys.includes(name);
        return isDraft && text !== '' ? [[name, text] as const] : [];
      });
      if (drafts.length > 0) shared.setItem(LEFT_PREFIX + id, JSON.stringify(Object.fromEntries(drafts)));
    });
  } catch {
    // Without storage they end with the window.
  }
}

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
