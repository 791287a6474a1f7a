import type { RecordDetail } from '../../common/model/records/record.ts';
import { countContent } from '../../common/reporting/field-values.ts';

/** Characters that the short fields of a record take, about. */
const SHORT_FIELDS = 200;

/** Size of a record in characters, about. */
export function measureRecord(record: RecordDetail): number {
  return SHORT_FIELDS + countContent(record) + countExtra(record);
}

/** Size of a group of a summary in characters, about. */
export function measureGroup(): number {
  return SHORT_FIELDS;
}

/** Characters of what is no field of the specification. */
function countExtra({ extra }: Pick<RecordDetail, 'extra'>): number {
  let characters = 0;
  for (const name in extra) characters += extra[name]?.length ?? 0;
  return characters;
}
