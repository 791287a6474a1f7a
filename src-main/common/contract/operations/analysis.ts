import { Type } from 'typebox';
import { Explanation } from '../../model/analysis/explanation.ts';
import { GroupKey, MAX_GROUP_FIELDS, MeasuredGroups } from '../../model/analysis/grouping.ts';
import {
  Distribution,
  HeatMap,
  MAX_EDGES,
  SeriesBucket,
  TimedField,
} from '../../model/analysis/measured-times.ts';
import { RecordFilter } from '../../model/records/record-filter.ts';
import { RecordScope } from '../../model/records/record-scope.ts';
import { operation } from '../operation.ts';

const Question = Type.Object({ scope: RecordScope, filter: RecordFilter });

/** What is computed from the cached records of a scope that meet a filter. */
export const analysisOperations = {
  /** Counts and times by the values of up to two fields. Rejects with `app.invalid-input` for a path of many values. */
  'analysis/group-records': operation(
    Type.Object({
      ...Question.properties,
      by: Type.Array(GroupKey, { maxItems: MAX_GROUP_FIELDS, uniqueItems: true }),
    }),
    MeasuredGroups,
  ),
  /** Counts and times between edges, which rise. */
  'analysis/read-series': operation(
    Type.Object({
      ...Question.properties,
      edges: Type.Array(Type.Integer(), { minItems: 2, maxItems: MAX_EDGES }),
    }),
    Type.Array(SeriesBucket),
  ),
  /** Counts and times by weekday and hour of a zone's clock. */
  'analysis/read-heat-map': operation(
    Type.Object({ ...Question.properties, zone: Type.String({ maxLength: 100 }) }),
    HeatMap,
  ),
  'analysis/read-distribution': operation(
    Type.Object({ ...Question.properties, field: TimedField }),
    Distribution,
  ),
  /** What sets the records of a selection apart from the others that meet the filter; with `bodies` looks into these too. */
  'analysis/explain': operation(
    Type.Object({
      ...Question.properties,
      selection: RecordFilter,
      bodies: Type.Optional(Type.Boolean()),
    }),
    Explanation,
  ),
};
