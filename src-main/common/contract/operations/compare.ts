import { Type } from 'typebox';
import { COMPARED_MEASURES, COMPARED_QUANTILES, Comparison } from '../../model/analysis/comparison.ts';
import { GroupField, MAX_GROUP_FIELDS } from '../../model/analysis/grouping.ts';
import { RecordFilter } from '../../model/records/record-filter.ts';
import { RecordScope } from '../../model/records/record-scope.ts';
import { operation } from '../operation.ts';

const Side = Type.Object({
  /** Of the same direction on both sides. */
  scope: RecordScope,
  filter: RecordFilter,
  /** How long the period is: volumes are compared over equal lengths. */
  lengthMs: Type.Integer({ minimum: 1 }),
});

export const compareOperations = {
  /** Compares the cached records of two periods group by group: how far apart, how sure, and what made the change. */
  'compare/compare-groups': operation(
    Type.Object({
      before: Side,
      after: Side,
      by: Type.Array(GroupField, { minItems: 1, maxItems: MAX_GROUP_FIELDS, uniqueItems: true }),
      measure: Type.Enum([...COMPARED_MEASURES]),
      /** Which times are compared where the measure is `response`. */
      quantile: Type.Enum([...COMPARED_QUANTILES]),
    }),
    Comparison,
  ),
};
