import { type Static, Type } from 'typebox';
import { MAX_ASKED_CONNECTIONS } from '../../model/analysis/grouping.ts';
import { ReportKindSchema } from '../../model/cache/snapshot.ts';
import { CASE_FORMATS } from '../../model/cases/case.ts';
import { LevelMonth, MAX_SERVICE_LEVELS } from '../../model/connections/service-level.ts';
import {
  Dataset,
  DATASET_REPORTS,
  DatasetReport,
  EvidenceMasking,
  EvidenceOptions,
  ExportChoices,
  ExportFormat,
  ExportLayout,
  PackPreview,
  PackSignature,
  PresetName,
  RecordFormat,
  SavedPreset,
} from '../../model/exports/export-options.ts';
import { Nullable } from '../../model/nullable.ts';
import { MAX_SHOWN_PATHS, PathText } from '../../model/records/body-path.ts';
import { RecordFilter, RecordScope } from '../../model/records/record-filter.ts';
import { RecordOrder } from '../../model/records/record.ts';
import { SqlColumn } from '../../model/records/sql.ts';
import { Schedule, ScheduleBoard, ScheduleDraft, ScheduleRun } from '../../model/schedules/schedule.ts';
import { DATE_ORDERS } from '../../reporting/reading/read-date.ts';
import { Nothing, operation, TaskId } from '../operation.ts';

/** A file that the host knows by an id. */
const OfferedFile = Type.Object({
  uploadId: Type.String(),
  name: Type.String(),
  /** In bytes; null where it isn't known, such as for a file that is missing. */
  size: Nullable(Type.Integer()),
});
export type OfferedFile = Static<typeof OfferedFile>;

export const importsOperations = {
  /**
   * Starts a task of kind `library-import` for a CSV, JSON, NDJSON or Parquet export or a portable snapshot: an uploaded file, or
   * (id null) one that the host lets the person choose. taskId is null when nothing was chosen.
   */
  'imports/start': operation(
    Type.Object({
      uploadId: Nullable(Type.String({ maxLength: 100 })),
      /** The connection that gets the records; null for a place of their own. */
      connectionId: Nullable(Type.String()),
      /** What the records are of, for a file that doesn't tell. */
      report: Type.Optional(ReportKindSchema),
      /** The zone of dates that carry none, for a file that doesn't tell. */
      zone: Type.Optional(Type.String({ maxLength: 100 })),
      /** In which order a spreadsheet wrote day and month, for a file that doesn't tell. */
      dateOrder: Type.Optional(Type.Enum([...DATE_ORDERS])),
      /**
       * The person states that the file holds all records of [fromMs, toMs); null stands for its first record, or its last
       * one. Of no account where the file says itself that it is complete.
       */
      complete: Type.Optional(
        Type.Object({ fromMs: Nullable(Type.Integer()), toMs: Nullable(Type.Integer()) }),
      ),
    }),
    Type.Object({ taskId: Nullable(Type.String()) }),
  ),
  /** The file that was last opened with the application, once; null where there is none. Nothing of it was read. */
  'imports/take-opened-file': operation(Nothing, Nullable(OfferedFile)),
};

export const importsEvents = {
  /** A file was opened with the application, and waits to be taken. Only the desktop sends it. */
  'imports/file-opened': Nothing,
};

/** The records of a snapshot or a period that match the filter, and how they are written. */
const RecordExport = Type.Object({
  scope: RecordScope,
  format: ExportFormat,
  filter: RecordFilter,
  order: RecordOrder,
  /** Writes payloads and responses as well. */
  includePayload: Type.Boolean(),
  /** Writes the connection's own names of channels, services and actions, in columns beside their numbers. */
  includeNames: Type.Optional(Type.Boolean()),
  /** Writes a person's marks and notes, in columns of their own. */
  includeMarks: Type.Optional(Type.Boolean()),
  /** Writes what records have at paths in their bodies and in own tables, in columns behind the others; documents leave it out. */
  paths: Type.Optional(Type.Array(PathText, { maxItems: MAX_SHOWN_PATHS, uniqueItems: true })),
  /** The zone of the clock that the window shows: dates are written in it, and the file names it. */
  zone: Type.Optional(Type.String()),
  /** Writes the summary that is computed of the scope's records, in place of the records; without a filter. */
  isSummary: Type.Optional(Type.Boolean()),
  layout: Type.Optional(ExportLayout),
  /** How clients, contents and errors are written in all other formats; as received by default. */
  masking: Type.Optional(EvidenceMasking),
  /** For reports: what fits on a page, in place of all. */
  isBrief: Type.Optional(Type.Boolean()),
  /** For `evidence`, which leaves columns and payloads to it; DEFAULT_EVIDENCE by default. */
  evidence: Type.Optional(EvidenceOptions),
});

/** A result of SQL that is open, a list of conversations or their clients, or where their time went. */
const ResultExport = Type.Object({
  /** What it is of; left out, of SQL. */
  content: Type.Optional(Type.Enum(['conversations', 'clients', 'times'])),
  resultId: Type.String(),
  connectionId: Type.String(),
  /** Connections besides that one whose rows a statement had: their clients are masked too. */
  otherConnectionIds: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_ASKED_CONNECTIONS })),
  columns: Type.Array(SqlColumn, { maxItems: 2000 }),
  rowCount: Type.Integer({ minimum: 0 }),
  /** There are more rows than are kept. */
  hasMore: Type.Boolean(),
  statement: Type.String(),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  zone: Type.String({ maxLength: 100 }),
  format: RecordFormat,
  layout: Type.Optional(ExportLayout),
  /** As for records; columns are known by their names. */
  masking: Type.Optional(EvidenceMasking),
});

const StartedTask = Type.Object({ taskId: Nullable(Type.String()) });
const Preview = Type.Object({
  /** Every column that can be chosen, in the file's order. */
  columns: Type.Array(Type.String()),
  /** The beginning of the file, as it will be written; null where the format is no text. */
  text: Nullable(Type.String()),
  /** Names, then the first rows, each cell as it will be written; long cells are cut. */
  cells: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Null()]))),
  rowCount: Nullable(Type.Integer()),
  /** Size of the file, judged by its first rows; null while the number of rows is unknown. */
  estimatedBytes: Nullable(Type.Integer()),
  /** Time that writing it takes, judged by earlier exports on this computer; left out where none tells. */
  estimatedMs: Type.Optional(Type.Integer()),
  /** Of a pack, the files in it. */
  files: Type.Optional(Type.Array(PackPreview)),
  /** Of a pack, how it will be signed; the key is made with the first one. */
  signature: Type.Optional(PackSignature),
});

/** What a person chose for files, as far as it is remembered. */
const ExportMemory = Type.Object({
  /** What was chosen last for each format that was chosen; that of the newest export comes first. */
  choices: Type.Array(ExportChoices),
  /** By name. */
  presets: Type.Array(SavedPreset),
});
export type ExportMemory = Static<typeof ExportMemory>;

export const exportsOperations = {
  /**
   * Starts a task of kind `export` for the records of a snapshot or a period that match the filter. The host chooses
   * the file, or lets the user choose it; taskId is null when the user closed that dialog.
   */
  'exports/start': operation(RecordExport, StartedTask),
  /** As `exports/start`, for the rows of a result of SQL. */
  'exports/start-result': operation(ResultExport, StartedTask),
  /** As `exports/start`, for a portable file of whole snapshots: their pages as received, and all that proves them. */
  'exports/start-portable': operation(
    Type.Object({ snapshotIds: Type.Array(Type.Integer(), { minItems: 1, maxItems: 1000 }) }),
    StartedTask,
  ),
  /** As `exports/start`, for a report of a month of service levels; of all of a connection where none are named. */
  'exports/start-service-levels': operation(
    Type.Object({
      connectionId: Type.String(),
      month: LevelMonth,
      levelIds: Type.Array(Type.String(), { maxItems: MAX_SERVICE_LEVELS }),
      format: Type.Enum(['html', 'pdf']),
    }),
    StartedTask,
  ),
  /** As `exports/start`, for a case. Clients and contents of records are masked unless it says otherwise. */
  'exports/start-case': operation(
    Type.Object({
      caseId: Type.String({ maxLength: 60 }),
      format: Type.Enum([...CASE_FORMATS]),
      isMasked: Type.Boolean(),
      /** Tables are cut after five rows, and folded parts left out. */
      isBrief: Type.Boolean(),
    }),
    StartedTask,
  ),
  /** The beginning of what `exports/start` would write. */
  'exports/preview': operation(RecordExport, Preview),
  /** The same for `exports/start-result`. */
  'exports/preview-result': operation(ResultExport, Preview),
  'exports/read-choices': operation(Nothing, ExportMemory),
  /** Remembers what was chosen for a format. */
  'exports/keep-choices': operation(ExportChoices, Nothing),
  /** Saves a preset; id null makes one. Fails with `exports.preset-taken` where another one has the name. */
  'exports/save-preset': operation(
    Type.Object({
      presetId: Nullable(Type.String()),
      name: PresetName,
      choices: ExportChoices,
    }),
    SavedPreset,
  ),
  'exports/remove-preset': operation(Type.Object({ presetId: Type.String() }), Nothing),
  /** Shows the finished file to the user: its folder on the desktop, a download in the browser. */
  'exports/reveal': operation(
    TaskId,
    Type.Object({
      downloadPath: Nullable(Type.String()),
      /** The same for the manifest beside it, where there is one. */
      manifestPath: Nullable(Type.String()),
    }),
  ),
};

export const exportsEvents = {
  /** Presets were saved or removed. */
  'exports/presets-changed': Type.Array(SavedPreset),
};

const ScheduleId = Type.Object({ scheduleId: Type.String() });

export const schedulesOperations = {
  /** The schedules of all connections, also of one that is gone, by name. */
  'schedules/list': operation(Nothing, ScheduleBoard),
  /**
   * Lets the host choose the folder of a schedule, or the user in a dialog: null when it was closed. The id stands for
   * the folder in `schedules/save`, until the application ends.
   */
  'schedules/choose-folder': operation(
    Type.Object({ name: Type.String({ maxLength: 200 }) }),
    Nullable(Type.Object({ folderId: Type.String(), folder: Type.String() })),
  ),
  /**
   * Saves a schedule; id null makes one, which needs a folder. Fails with `connections.not-found`, `schedules.query` and
   * `app.invalid-input`. Where its times, its zone or its period change, or it is switched on, times before no longer count.
   */
  'schedules/save': operation(
    Type.Object({
      scheduleId: Nullable(Type.String()),
      /** Left out, the folder stays. */
      folderId: Type.Optional(Type.String()),
      draft: ScheduleDraft,
    }),
    Schedule,
  ),
  /** Forgets a schedule and its log; its files stay. One that runs is cancelled. */
  'schedules/remove': operation(ScheduleId, Nothing),
  /**
   * Starts a task of kind `schedule` at once, or after the one that runs; it has the file of the export. With the id of
   * an entry of the log, for the period of that entry.
   */
  'schedules/run': operation(
    Type.Object({ ...ScheduleId.properties, runId: Type.Optional(Type.String()) }),
    TaskId,
  ),
  /** Newest first. */
  'schedules/read-log': operation(ScheduleId, Type.Array(ScheduleRun)),
  /** Shows the folder; false where the system has no program for that. */
  'schedules/reveal-folder': operation(ScheduleId, Type.Object({ isShown: Type.Boolean() })),
};

export const schedulesEvents = {
  /** Schedules were saved or removed, or a run began or ended. */
  'schedules/changed': Type.Null(),
};

const DatasetId = Type.Object({ datasetId: Type.String() });

export const datasetsOperations = {
  'datasets/list': operation(Type.Null(), Type.Array(Dataset)),
  /**
   * Adds a dataset of a connection in a folder that the host chooses, or lets the user choose; null when the user closed
   * that dialog. One that is there already is changed. Nothing is written before `datasets/update`.
   */
  'datasets/add': operation(
    Type.Object({
      connectionId: Type.String(),
      reports: Type.Array(DatasetReport, { minItems: 1, maxItems: DATASET_REPORTS.length }),
      isKept: Type.Boolean(),
    }),
    Nullable(Dataset),
  ),
  /** Says whether a dataset is updated by itself. */
  'datasets/switch': operation(Type.Object({ ...DatasetId.properties, isKept: Type.Boolean() }), Dataset),
  /** Starts a task of kind `dataset` that brings the folder up to the cache; it counts days. */
  'datasets/update': operation(DatasetId, TaskId),
  /** Forgets a dataset; its files stay. */
  'datasets/remove': operation(DatasetId, Nothing),
};

export const datasetsEvents = {
  /** Datasets were added, changed, updated or removed. */
  'datasets/changed': Type.Null(),
};
