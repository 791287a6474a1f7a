import {
  toContents,
  toLayout,
  type ExportChoices,
} from '../../../../src-main/common/model/exports/export-choices.ts';
import { isDocumentFormat } from '../../../../src-main/common/model/exports/export-options.ts';
import type { RecordOrder } from '../../../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import type { ExportRequest } from '../../../stores/records/exports.ts';
import type { EvidenceSessions } from './evidence/evidence-choices.ts';
import { hasPayload, type ExportSubject } from './export-subject.ts';

const AS_RECEIVED: RecordOrder = [{ column: 'received', descending: false }];

/** Everything that is chosen of a file. */
interface ExportWish {
  readonly subject: ExportSubject;
  readonly filter: RecordFilter | undefined;
  /** As received where none is given. */
  readonly order: RecordOrder | undefined;
  readonly choices: ExportChoices;
  /** Null for those of the preset. */
  readonly columns: readonly string[] | null;
  readonly sessions: EvidenceSessions;
  readonly zone: string;
  /** Values of the records have names of one's own. */
  readonly hasOwnNames: boolean;
}

/** Returns the request for the file that is chosen, without what its subject doesn't have. */
export function toExportRequest(wish: ExportWish): ExportRequest {
  const { subject, choices } = wish;
  const { format, includePayload, includeMarks, includeNames } = choices;
  const { paths = [] } = subject;
  const layout = toLayout(choices, wish.columns);
  if ('resultId' in subject.scope) {
    return {
      ...subject.scope,
      format: isDocumentFormat(format) ? 'csv' : format,
      layout,
      ...toContents(choices),
    };
  }
  return {
    scope: subject.scope,
    format,
    filter: wish.filter ?? { conditions: [] },
    order: wish.order ?? AS_RECEIVED,
    includePayload: hasPayload(subject) && includePayload,
    zone: wish.zone,
    layout,
    ...toContents(choices, wish.sessions),
    ...(subject.isComputed === true ? { isSummary: true } : {}),
    ...(paths.length > 0 && !isDocumentFormat(format) ? { paths: [...paths] } : {}),
    ...(hasPayload(subject) && includeMarks ? { includeMarks: true } : {}),
    ...(wish.hasOwnNames && includeNames ? { includeNames: true } : {}),
  };
}
