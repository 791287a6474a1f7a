import { sendJson } from '../../support/network/fault-server.ts';
import { cut, toBody, withBytes, type Behaviour, type PageCall } from './odd-service.ts';

type Part = ReturnType<typeof cut>;

/** Answers with an envelope of any shape; what is no text is sent as JSON. */
const shaped =
  (write: (part: Part) => unknown, headers: Record<string, string> = {}): Behaviour['meet'] =>
  (call: PageCall, records) => {
    const body = write(cut(call, records));
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    call.response.writeHead(200, headers).end(isRaw ? body : JSON.stringify(body));
  };
const usual = ({ page, next }: Part): Record<string, unknown> => toBody(page, { lastDocument: next });
const named = (name: string) => (part: Part) => ({ ...usual(part), documents: undefined, [name]: part.page });

const whole: Behaviour[] = (
  [
    ['under another name', shaped(named('data'))],
    ['under a name that nobody knows', shaped(named('zeilen'))],
    ['as a JSON text', shaped((part) => ({ ...usual(part), documents: JSON.stringify(part.page) }))],
    [
      'one level down',
      shaped((part) => ({ ...usual(part), documents: undefined, result: { rows: part.page } })),
    ],
    ['with the whole envelope one level down', shaped((part) => ({ data: usual(part) }))],
    [
      'beside an object with cursor and total',
      shaped(({ page, next }) => ({
        isValid: true,
        documents: page,
        paging: { lastDocument: next, totalDocument: 25 },
      })),
    ],
    ['beside a list of warnings', shaped((part) => ({ warnings: [{ Id: 'w', Date: 'x' }], ...usual(part) }))],
    ['beside a list of columns', shaped((part) => ({ columns: ['Id', 'Date'], ...usual(part) }))],
    ['beside an empty list', shaped((part) => ({ items: [], ...usual(part) }))],
    ['in a body that is a JSON text', shaped((part) => JSON.stringify(JSON.stringify(usual(part))))],
    [
      'in capitals',
      shaped(({ page, next }) => ({ ISVALID: true, TOTALDOCUMENT: 25, LASTDOCUMENT: next, DOCUMENTS: page })),
    ],
    ['without isValid', shaped((part) => ({ ...usual(part), isValid: undefined }))],
    ['with isValid as a text', shaped((part) => ({ ...usual(part), isValid: 'True' }))],
    ['with isValid as 1', shaped((part) => ({ ...usual(part), isValid: 1 }))],
    [
      'beside an execution time of NaN',
      shaped((part) => JSON.stringify(usual(part)).replace('"executionTime":3', '"executionTime":NaN')),
    ],
    ['after a byte order mark', shaped((part) => `\ufeff${JSON.stringify(usual(part))}`)],
    ['between blanks and line breaks', shaped((part) => `\r\n  ${JSON.stringify(usual(part), null, 4)}\n\n`)],
    ['called a web page', shaped(usual, { 'content-type': 'text/html' })],
    ['called Latin-1', shaped(usual, { 'content-type': 'application/json; charset=iso-8859-1' })],
    ['called nothing at all', shaped((part) => Buffer.from(JSON.stringify(usual(part))))],
  ] as [string, Behaviour['meet']][]
).map(([name, meet]) => ({ name: `records ${name}`, meet, ends: 'complete' }));

const unread: Behaviour[] = (
  [
    ['isValid is false', (part) => ({ ...usual(part), isValid: false }), 'client.invalid-request'],
    [
      'isValid is false one level down',
      (part) => ({ data: { ...usual(part), isValid: false } }),
      'client.invalid-request',
    ],
    [
      'they are in UTF-16',
      (part) => Buffer.from(`\ufeff${JSON.stringify(usual(part))}`, 'utf16le'),
      'client.not-json',
    ],
    [
      'they have bytes of Latin-1',
      (part) => Buffer.from(JSON.stringify({ ...usual(part), nameVisualization: 'é' }), 'latin1'),
      'client.not-json',
    ],
    ['a comma is left over', (part) => JSON.stringify(usual(part)).replace(/\}$/, ',}'), 'client.not-json'],
    [
      'each has a line of its own',
      (part) => part.page.map((record) => JSON.stringify(record)).join('\n'),
      'client.not-json',
    ],
    ['they are XML', () => '<records><record/></records>', 'client.not-json'],
    [
      'they are called by a function',
      (part) => `callback(${JSON.stringify(usual(part))})`,
      'client.not-json',
    ],
    ['a sign-in page stands before them', () => '<!doctype html><title>Sign in</title>', 'client.html'],
    ['they are numbers', (part) => ({ ...usual(part), documents: [1, 2, 3] }), 'client.unexpected-shape'],
    [
      'they are records of something else',
      (part) => ({ ...usual(part), documents: [{ a: 1 }] }),
      'client.unexpected-shape',
    ],
    [
      'they are nested beyond reach',
      (part) => '['.repeat(5000) + JSON.stringify(part.page) + ']'.repeat(5000),
      'client.unexpected-shape',
    ],
  ] as [string, (part: Part) => unknown, string][]
).map(([name, write, ends]) => ({ name: `records that can't be read: ${name}`, meet: shaped(write), ends }));

const once: Behaviour[] = [
  {
    name: 'a sign-in page once, in the middle',
    meet: (call, records) =>
      call.call === 2
        ? withBytes(200, '<!doctype html><title>Sign in</title>')(call, records)
        : sendJson(call.response, usual(cut(call, records))),
    ends: 'complete',
  },
];

export const ENVELOPES: readonly Behaviour[] = [...whole, ...unread, ...once];
