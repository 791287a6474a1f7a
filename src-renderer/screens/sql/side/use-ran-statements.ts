import { computed } from 'vue';
import {
  MAX_RAN_STATEMENTS,
  type RanStatement,
} from '../../../../src-main/common/model/settings/settings.ts';
import { useAppStore } from '../../../stores/window/app.ts';

/** Characters that are kept of all of them together, since the settings are written with each run. */
const MAX_CHARACTERS = 200_000;

/** Returns the statements with one more at their head, without the oldest that are too many or too long. */
export function withRan(before: readonly RanStatement[], ran: RanStatement): RanStatement[] {
  let rest = MAX_CHARACTERS;
  return [ran, ...before.filter(({ text }) => text !== ran.text)]
    .slice(0, MAX_RAN_STATEMENTS)
    .filter(({ text }) => (rest -= text.length) >= 0);
}

/** Statements that were run, the last first. */
export function useRanStatements() {
  const app = useAppStore();
  const ran = computed<readonly RanStatement[]>(() => app.settings?.ranStatements ?? []);

  /** Puts a statement at the head of the list. */
  async function note(text: string): Promise<void> {
    await app.update({ ranStatements: withRan(ran.value, { text, atMs: Date.now() }) });
  }

  async function clear(): Promise<void> {
    await app.update({ ranStatements: [] });
  }

  return { ran, note, clear };
}
