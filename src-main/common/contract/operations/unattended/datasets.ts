import { Type } from 'typebox';
import { Dataset, DATASET_REPORTS, DatasetReport } from '../../../model/exports/dataset.ts';
import { Nullable } from '../../../model/nullable.ts';
import { Nothing, operation, TaskId } from '../../operation.ts';

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
