import { Type } from 'typebox';
import { RecordMarkChange } from '../../model/records/record-mark.ts';
import { Nothing, operation, RecordPlace } from '../operation.ts';

export const marksOperations = {
  /** Puts a mark or a note on records, or takes them away. Fails with `cache.too-many-marks`. */
  'marks/change': operation(
    Type.Object({
      records: Type.Array(RecordPlace, { minItems: 1, maxItems: 100 }),
      change: RecordMarkChange,
    }),
    Nothing,
  ),
};

export const marksEvents = {
  /** Marks of a connection's report have changed. */
  'marks/changed': Type.Null(),
};
