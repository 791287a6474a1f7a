import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch, type WritableComputedRef } from 'vue';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { ExportMemory } from '../../../../src-main/common/contract/operations/files.ts';
import { type Snapshot, toKnownTenant } from '../../../../src-main/common/model/cache/snapshot.ts';
import {
  type EvidenceOptions,
  type ExportChoices,
  type ExportFormat,
  MAX_EVIDENCE_SESSIONS,
  type SavedPreset,
  toFirstChoices,
  toNextChoices,
} from '../../../../src-main/common/model/exports/export-options.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import { MAX_SESSION_ID_CHARACTERS } from '../../../../src-main/common/model/records/conversation.ts';
import type { RecordFilter, RecordScope } from '../../../../src-main/common/model/records/record-filter.ts';
import { listFinding } from '../../../../src-main/common/query/filter-tree.ts';
import type { ReportKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useKeptDraft } from '../../../composables/use-kept-draft.ts';
import { useAttempt } from '../../../composables/use-query.ts';
import { readFormats } from '../../../format/formats.ts';
import type { ErrorLike } from '../../../messages/error-like.ts';
import { type ExportRequest, toSubjectKey, useExportsStore } from '../../../stores/records/exports.ts';
import { useAppStore, useTasksStore } from '../../../stores/window/app.ts';

/** A result of SQL, or a list of conversations or clients, that can be read. */
type OpenResult = Omit<Input<'exports/start-result'>, 'format' | 'layout'>;

/** What a table that is no report's is of. */
type ResultKind = 'sql' | NonNullable<OpenResult['content']>;

/** What an export is of: a snapshot, everything cached of a period, or a result of SQL. */
export interface ExportSubject {
  /** The records, or the open result of SQL. */
  readonly scope: RecordScope | OpenResult;
  readonly report: ReportKind | ResultKind;
  /** Null where the records were imported from a file that doesn't say it. */
  readonly tenant: number | null;
  readonly period: Period;
  readonly recordCount: number;
  /** The summary that is computed of the scope's records. */
  readonly isComputed?: boolean;
  /** Something of the period isn't cached. */
  readonly isIncomplete?: boolean;
  /** Paths among the columns of its table. */
  readonly paths?: readonly string[];
}

/** A snapshot as the subject of an export. */
export function toExportSubject(snapshot: Snapshot): ExportSubject {
  const { id, report, period, recordCount } = snapshot;
  const tenant = toKnownTenant(snapshot.tenant, snapshot.imported !== undefined);
  const isIncomplete = snapshot.state !== 'complete';
  return { scope: { snapshotId: id }, report, tenant, period, recordCount, isIncomplete };
}

/** Returns whether the records of a subject have payloads: those of a summary and of a result of SQL have none. */
export function hasPayload({ report }: ExportSubject): boolean {
  return report.endsWith('detail');
}

/** Returns whether it is a report's, rather than a result of SQL, conversations or clients. */
export function isReport(report: ExportSubject['report']): report is ReportKind {
  return report.endsWith('detail') || report.endsWith('summary');
}

/** Returns the connection and the report that a schedule repeats; null where a subject can't be repeated. */
export function findRepeatable(
  { scope, report, isComputed = false }: ExportSubject,
  activeConnectionId: string | undefined,
): { readonly connectionId: string; readonly report: ReportKind } | null {
  if ('resultId' in scope || !isReport(report)) return null;
  // A reported summary is of one period only.
  if (report.endsWith('summary') && !isComputed) return null;
  const connectionId = 'connectionId' in scope ? scope.connectionId : activeConnectionId;
  return connectionId === undefined ? null : { connectionId, report };
}

/** The sessions of a pack; they are chosen for each one anew. */
export type EvidenceSessions = Pick<EvidenceOptions, 'sessionIds' | 'withFindingSessions'>;

/** The sessions for a new pack: those that the records are filtered by, and those of the findings. */
export function createEvidenceSessions(filter: RecordFilter | undefined): EvidenceSessions {
  const found = filter === undefined ? [] : listFinding(filter);
  const sessionIds = found.flatMap(({ field, values = [], anyCase = [] }) =>
    field === 'sessionId' ? [...values.map((value) => String(value ?? '')), ...anyCase] : [],
  );
  return { sessionIds: tidySessionIds(sessionIds), withFindingSessions: true };
}

/** Reads the ids of sessions from a text, one a line or with commas between. */
export function readSessionIds(text: string): string[] {
  return tidySessionIds(text.split(/[\n,;]/));
}

function tidySessionIds(ids: readonly string[]): string[] {
  const tidy = ids.map((id) => id.trim()).filter((id) => id !== '' && id.length <= MAX_SESSION_ID_CHARACTERS);
  return [...new Set(tidy)].slice(0, MAX_EVIDENCE_SESSIONS);
}

/** What was chosen for files before, and the presets of one's own. */
export const useExportMemoryStore = defineStore('export-memory', () => {
  const backend = useBackend();
  const read = shallowRef<ExportMemory | null>(null);
  /** With its presets by name, as the window's language sorts; null before it was read. */
  const memory = computed<ExportMemory | null>(() => {
    if (read.value === null) return null;
    const { compareTexts } = readFormats();
    const presets = read.value.presets.toSorted((a, b) => compareTexts(a.name, b.name));
    return { ...read.value, presets };
  });

  backend.on('exports/presets-changed', (presets) => {
    if (read.value !== null) read.value = { ...read.value, presets };
  });

  async function load(): Promise<void> {
    read.value ??= await backend.call('exports/read-choices', null);
  }

  /** Keeps the choices for the next file of their format. */
  async function keep(choices: ExportChoices): Promise<void> {
    // What was not read yet is read with it later.
    if (read.value !== null) {
      const others = read.value.choices.filter(({ format }) => format !== choices.format);
      read.value = { ...read.value, choices: [choices, ...others] };
    }
    await backend.call('exports/keep-choices', choices);
  }

  function save(presetId: string | null, name: string, choices: ExportChoices): Promise<SavedPreset> {
    return backend.call('exports/save-preset', { presetId, name, choices });
  }

  async function remove(presetId: string): Promise<void> {
    await backend.call('exports/remove-preset', { presetId });
  }

  return { memory, load, keep, save, remove } as const;
});

/** What was changed by hand and isn't written yet. */
interface ChoicesDraft {
  readonly format: ExportFormat | null;
  readonly changed: Partial<Record<ExportFormat, ExportChoices>>;
  /** Null for those of the preset. */
  readonly columns: readonly string[] | null;
}
const UNCHANGED: ChoicesDraft = { format: null, changed: {}, columns: null };

/** The choices of the file that is about to be written: for each format those of last time, until they are changed. */
export function useExportChoices(
  readSubject: () => string,
  readFormats: () => readonly ExportFormat[],
): {
  readonly choices: WritableComputedRef<ExportChoices>;
  readonly format: WritableComputedRef<ExportFormat>;
  readonly columns: WritableComputedRef<readonly string[] | null>;
  /** Reads what was chosen before; without it the first choices stay. */
  load(): Promise<void>;
  keep(): Promise<void>;
} {
  const app = useAppStore();
  const store = useExportMemoryStore();
  const draft = ref<ChoicesDraft>(UNCHANGED);
  const kept = useKeptDraft(`export:${readSubject()}`, draft, () => UNCHANGED);

  /** The preset that exports begin with, where the settings name one that is there and can be used here. */
  const first = computed(() => {
    const wanted = app.settings?.exportStart ?? 'last';
    const found = store.memory?.presets.find(({ id }) => id === wanted)?.choices;
    return found !== undefined && readFormats().includes(found.format) ? found : null;
  });
  const format = computed({
    get: (): ExportFormat => {
      const formats = readFormats();
      const wanted = draft.value.format ?? first.value?.format ?? store.memory?.choices[0]?.format ?? 'csv';
      return formats.includes(wanted) ? wanted : 'csv';
    },
    set: (next) => {
      draft.value = { ...draft.value, format: next };
    },
  });
  const choices = computed({
    get: (): ExportChoices => {
      const own = draft.value.changed[format.value];
      if (own !== undefined) return own;
      if (first.value?.format === format.value) return first.value;
      const last = store.memory?.choices.find((each) => each.format === format.value);
      return last ?? toFirstChoices(format.value);
    },
    set: (next) => {
      const { changed } = draft.value;
      draft.value = { ...draft.value, format: next.format, changed: { ...changed, [next.format]: next } };
    },
  });

  return {
    choices,
    format,
    columns: computed({
      get: () => draft.value.columns,
      set: (columns) => (draft.value = { ...draft.value, columns }),
    }),
    load: () => store.load().catch(() => undefined),
    // The file is written all the same where they can't be kept.
    keep: () => {
      kept.forget();
      return store.keep(toNextChoices(choices.value)).catch(() => undefined);
    },
  };
}

/** The newest export of a subject: one that runs, or has ended since the dialog was opened. */
export function useExportTask(readSubject: () => ExportSubject, readOpen: () => boolean) {
  const exports = useExportsStore();
  const tasks = useTasksStore();
  const { isRunning: isCalling, error: callError, attempt, clearError } = useAttempt();
  /** A period that moves on meanwhile is still that of the export that was started here. */
  const taskId = shallowRef<string | null>(null);

  const task = computed(() => tasks.find(taskId.value));
  const isRunning = computed(() => task.value?.state === 'running');
  const error = computed<ErrorLike | null>(() => {
    if (callError.value !== null || task.value?.state !== 'failed') return callError.value;
    return task.value.error ?? { code: 'app.bug' };
  });

  watch(
    readOpen,
    (isOpen) => {
      exports.show(null);
      if (!isOpen) return;
      clearError();
      const { scope, isComputed } = readSubject();
      const found = tasks.find(
        exports.findTaskId(toSubjectKey('resultId' in scope ? scope.resultId : scope, isComputed)),
      );
      // One that ended while the dialog was closed makes room for another; one that runs is shown again.
      taskId.value = found?.state === 'running' ? found.id : null;
      exports.show(taskId.value);
    },
    { immediate: true },
  );

  function start(request: ExportRequest): Promise<boolean> {
    return attempt(async () => {
      const started = await exports.start(request);
      if (started === null) return;
      taskId.value = started;
      exports.show(started);
    });
  }

  return {
    task,
    /** Something was asked for, and has not been answered yet. */
    isCalling,
    isRunning,
    isDone: computed(() => task.value?.state === 'done'),
    error,
    /** Closes the result of an export that has ended. */
    dismiss: () => (taskId.value = null),
    start,
    stop: () => attempt(() => tasks.cancel(taskId.value ?? '')),
    /** Shows the finished file; a browser saves it, and what describes it. */
    reveal: () => attempt(() => exports.reveal(taskId.value ?? '')),
  };
}
