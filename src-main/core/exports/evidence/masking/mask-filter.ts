import type {
  FieldCondition,
  FilterField,
  RecordFilter,
} from '../../../../common/model/records/record-filter.ts';
import { isBodyField } from '../../../../common/model/records/body-path.ts';
import { mapLeaves } from '../../../../common/query/filter-tree.ts';
import type { Masks } from './masks.ts';

const HIDDEN = '…';
/** What is looked for in these can be any part of what is masked. */
const SEARCHED: readonly FilterField[] = ['anywhere', 'payload', 'response', 'error'];

/** Returns a filter as a pack states it: what it looks for says as little as the records do. */
export function maskFilter(filter: RecordFilter, masks: Masks): RecordFilter {
  return mapLeaves(filter, (condition) => maskCondition(condition, masks));
}

function maskCondition(condition: FieldCondition, masks: Masks): FieldCondition {
  const { field, values, anyCase, text, wildcard, regex } = condition;
  const { client, payload, errors } = masks.masking;
  const isOpen = client === 'received' && payload === 'received' && errors === 'received';
  const mask = (value: string): string => {
    if (value === '') return value;
    if (SEARCHED.includes(field) || isBodyField(field)) return isOpen ? value : HIDDEN;
    if (field === 'client') return client === 'left-out' ? HIDDEN : masks.client(value);
    if (field === 'errorFamily') return masks.errorFamily(value);
    return field === 'sessionId' ? masks.sessionId(value) : masks.text(value);
  };
  return {
    ...condition,
    ...(values === undefined
      ? {}
      : { values: values.map((value) => (typeof value === 'string' ? mask(value) : value)) }),
    ...(anyCase === undefined ? {} : { anyCase: anyCase.map(mask) }),
    // Part of a client is no client that a pseudonym could be given.
    ...(text === undefined
      ? {}
      : { text: field === 'client' && client !== 'received' ? HIDDEN : mask(text) }),
    // Nor is a pattern of any text.
    ...(wildcard === undefined || isOpen ? {} : { wildcard: HIDDEN }),
    ...(regex === undefined || isOpen ? {} : { regex: HIDDEN }),
  };
}
