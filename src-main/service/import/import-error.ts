import { AppError } from '../../common/contract/errors.ts';
import type { ImportFault, ImportFaultCode } from '../../common/model/connections/import-fault.ts';
import { DOCUMENT_FAULTS } from '../../node/json-splitter.ts';

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

/** What the service writes itself, such as on its command line; the window has words of its own for each code. */
const FAULTS_IN_ENGLISH: Readonly<Record<ImportFaultCode, string>> = {
  missing: '{field} is missing.',
  date: "The date {value} can't be read.",
  'date-range': "{field} isn't between 1970 and 2199: {value}.",
  integer: "{field} isn't a whole number from {min} to {max}: {value}.",
  number: "{field} isn't a number from 0 to {max}: {value}.",
  'number-word': '{field} is {value}, which is no number.',
  'too-deep': '{field} is nested too deep.',
  'text-too-long': '{field} is longer than {limit} characters.',
  'entry-too-long': 'It is longer than {limit} bytes.',
  'not-utf8': "It isn't UTF-8.",
  'not-object': "It isn't a JSON object.",
  'not-json': "It isn't JSON.",
  empty: 'It is empty.',
  'no-known-field': 'None of its fields is known.',
  'summary-group': 'This is a group of a summary, not a detail record.',
  'both-directions': "Both {inbound} and {outbound} are there, so inbound can't be told from outbound.",
  'no-direction': "Neither {inbound} nor {outbound} is there, so inbound can't be told from outbound.",
  'other-direction': 'The fields are not those of an {direction} record.',
  'open-quote': "A quotation mark isn't closed.",
  cells: 'It has {cells} cells, the header {header}.',
  'header-again': 'The header again.',
};

/** Makes a fault of a line. */
export function toFault(code: ImportFaultCode, values: ImportFault['values'] = {}): ImportFault {
  return { code, values };
}

/** Faults in English, one sentence each. */
export function describeFaults(faults: readonly ImportFault[]): string {
  return faults
    .map(({ code, values }) =>
      FAULTS_IN_ENGLISH[code].replace(/\{(\w+)\}/gu, (_all, name: string) => String(values[name])),
    )
    .join(' ');
}
