import { onScopeDispose, ref, type Ref } from 'vue';

const CONFIRMATION_MS = 1500;

/** Remembers for a moment what was copied last, so that its button can say so. */
export function useCopied<Name extends string>(): {
  readonly copied: Readonly<Ref<Name | null>>;
  /** Runs the copying and confirms it. Rejects with what it rejects with. */
  copy(name: Name, work: () => Promise<void>): Promise<void>;
} {
  const copied = ref<Name | null>(null) as Ref<Name | null>;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));
  return {
    copied,
    copy: async (name, work) => {
      await work();
      copied.value = name;
      clearTimeout(timer);
      timer = setTimeout(() => (copied.value = null), CONFIRMATION_MS);
    },
  };
}
