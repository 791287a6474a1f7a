import { AppError } from '../../common/contract/errors.ts';
import type { ImportFault, ImportFaultCode } from '../../common/model/connections/import-fault.ts';
import { DOCUMENT_FAULTS } from '../../node/json-splitter.ts';
import { describeFaults } from './import-fault.ts';

/** What the service writes itself about a file; the window has words of its own for each code. */
const ENGLISH = {
  columns: 'The file has more than {limit} columns.',
  'column-twice': 'The column "{column}" is there twice.',
  utf16: 'The file is UTF-16; save it as UTF-8.',
  compressed: 'The file is compressed; unpack it first.',
  'no-text': 'The file is not a text.',
  'empty-file': 'The file is empty.',
  unknown:
    'The file is not recognised: it is neither JSON nor begins with the names of the fields (Id, Date, Channel …).',
  shorter: 'The file became shorter while it was read.',
  'open-row': "The row that begins on line {line} doesn't end within {limit} bytes; a quote may be missing.",
  ...DOCUMENT_FAULTS,
} as const;
type FileFaultCode = keyof typeof ENGLISH;

/** An AppError `local-service.import-failed` that says why a file as a whole can't be read on, in English only. */
export function toImportError(message: string, cause?: unknown): AppError {
  return new AppError('local-service.import-failed', message, {}, cause);
}

/** The same for what the window has words for: details `reason`, a code, and the values of its words. */
export function toFileError(code: FileFaultCode, values: ImportFault['values'] = {}): AppError {
  const message = ENGLISH[code].replace(/\{(\w+)\}/gu, (_all, name: string) => String(values[name]));
  return new AppError('local-service.import-failed', message, { reason: code, ...values });
}

/** The same for a header whose fields are at fault, as those of a record may be. */
export function toHeaderError(fault: ImportFault): AppError {
  const reason: ImportFaultCode = fault.code;
  return new AppError('local-service.import-failed', describeFaults([fault]), { reason, ...fault.values });
}
