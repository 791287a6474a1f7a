import type { ImportFault, ImportFaultCode } from '../../common/model/connections/import-fault.ts';

/** What the service writes itself, such as on its command line; the window has words of its own for each code. */
const ENGLISH: Readonly<Record<ImportFaultCode, string>> = {
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
      ENGLISH[code].replace(/\{(\w+)\}/gu, (_all, name: string) => String(values[name])),
    )
    .join(' ');
}
