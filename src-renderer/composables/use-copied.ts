import { refAutoReset } from '@vueuse/core';
import type { Ref } from 'vue';

const CONFIRMATION_MS = 1500;

/** Remembers for a moment what was copied last, so that its button can confirm it. */
export function useCopied<Name extends string>(): {
  readonly copied: Readonly<Ref<Name | null>>;
  /** Runs the work that copies, and confirms it unless that resolves to false. Rejects as the work does. */
  copy(name: Name, work: () => Promise<unknown>): Promise<void>;
} {
  const copied = refAutoReset<Name | null>(null, CONFIRMATION_MS);

  async function copy(name: Name, work: () => Promise<unknown>): Promise<void> {
    if ((await work()) !== false) copied.value = name;
  }

  return { copied, copy };
}
