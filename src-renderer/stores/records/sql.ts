import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type {
  SqlCell,
  SqlFailure,
  SqlQuestion,
  SqlResult,
} from '../../../src-main/common/model/records/sql.ts';
import { useBackend } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';

/** Where the window keeps the text that is written. */
export const SQL_TEXT_KEY = 'channelscope.sql';

/** What the text was taken from. */
export interface StatementOrigin {
  readonly kind: 'saved' | 'example';
  readonly name: string;
}

/** Something that a statement was run on: the text that its result belongs to. */
interface RanStatement extends SqlQuestion {
  readonly result: SqlResult | null;
  readonly failure: SqlFailure | null;
}

/** The statement of the SQL screen, as it is written, and its last result. */
export const useSqlStore = defineStore('sql', () => {
  const backend = useBackend();
  const text = shallowRef(readStored());
  /** What "open as SQL" and the lists put aside; null when there is nothing to bring back. */
  const replaced = shallowRef<string | null>(null);
  const source = shallowRef<{ readonly origin: StatementOrigin; readonly text: string } | null>(null);
  /** The text differs from what it was taken from. */
  const isRewritten = computed(() => source.value !== null && source.value.text !== text.value);
  /** What the statement is called after; an example that was rewritten is one no more. */
  const origin = computed((): StatementOrigin | null => {
    const named = source.value?.origin ?? null;
    return named?.kind === 'example' && isRewritten.value ? null : named;
  });
  /** A statement to run as soon as the screen is there, over the period as of then; null when there is none. */
  const wantedAtMs = shallowRef<number | null>(null);
  const running = shallowRef<{ readonly runId: string; readonly startedMs: number } | null>(null);
  const ran = shallowRef<RanStatement | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  const isEdited = computed(() => ran.value !== null && ran.value.text !== text.value);

  function write(next: string): void {
    text.value = next;
    try {
      sessionStorage.setItem(SQL_TEXT_KEY, next);
    } catch {
      // Without storage the text lives as long as the window.
    }
  }

  /** Puts a statement in the place of the one that is written; that one can be brought back. */
  function replace(next: string, from: StatementOrigin | null): void {
    replaced.value = text.value.trim() === '' || text.value === next ? null : text.value;
    source.value = from === null ? null : { origin: from, text: next };
    write(next);
  }

  function noteSaved(name: string): void {
    source.value = { origin: { kind: 'saved', name }, text: text.value };
  }

  function noteRenamed(from: string, name: string): void {
    const last = source.value;
    if (last?.origin.kind === 'saved' && last.origin.name === from)
      source.value = { ...last, origin: { kind: 'saved', name } };
  }

  function bringBack(): void {
    if (replaced.value === null) return;
    write(replaced.value);
    replaced.value = null;
    source.value = null;
  }

  /** Shows a statement that another screen made or chose, and runs it. */
  function want(next: string, asOfMs: number, from: StatementOrigin | null = null): void {
    replace(next, from);
    wantedAtMs.value = asOfMs;
  }

  async function run(question: SqlQuestion): Promise<void> {
    await cancel();
    wantedAtMs.value = null;
    const runId = crypto.randomUUID();
    running.value = { runId, startedMs: Date.now() };
    error.value = null;
    try {
      const outcome = await backend.call('sql/run', { runId, ...question });
      if (!isRunning(runId)) {
        if (outcome.kind === 'rows') release(outcome.resultId);
        return;
      }
      // What was there before a cancelled statement stays.
      if (outcome.kind === 'failed' && outcome.fault === 'cancelled') return;
      const before = ran.value?.result ?? null;
      ran.value =
        outcome.kind === 'rows'
          ? { ...question, result: outcome, failure: null }
          : { ...question, result: null, failure: outcome };
      if (before !== null) release(before.resultId);
    } catch (thrown) {
      if (isRunning(runId)) error.value = toErrorLike(thrown);
    } finally {
      if (isRunning(runId)) running.value = null;
    }
  }

  function isRunning(runId: string): boolean {
    return running.value?.runId === runId;
  }

  async function cancel(): Promise<void> {
    const runId = running.value?.runId;
    if (runId === undefined) return;
    running.value = null;
    await backend.call('sql/cancel', { runId }).catch(() => undefined);
  }

  function release(resultId: string): void {
    backend.call('sql/close-result', { resultId }).catch(() => undefined);
  }

  /** Reads rows [start, end) of the shown result; null when they are gone. */
  async function readRows(
    resultId: string,
    start: number,
    end: number,
    whole = false,
  ): Promise<readonly SqlCell[][] | null> {
    try {
      const limit = end - start;
      const rows = await backend.call('sql/read-rows', { resultId, offset: start, limit, whole });
      return ran.value?.result?.resultId === resultId ? rows : null;
    } catch (thrown) {
      if (ran.value?.result?.resultId === resultId) error.value = toErrorLike(thrown);
      return null;
    }
  }

  return {
    text,
    replaced,
    origin,
    isRewritten,
    wantedAtMs,
    running,
    ran,
    error,
    isEdited,
    write,
    replace,
    noteSaved,
    noteRenamed,
    bringBack,
    want,
    run,
    cancel,
    readRows,
  } as const;
});

function readStored(): string {
  try {
    return sessionStorage.getItem(SQL_TEXT_KEY) ?? '';
  } catch {
    return '';
  }
}
