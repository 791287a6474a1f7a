import { expect, test } from 'vitest';
import { decodeUtf8, parseBody } from '../../../../src-main/common/reporting/reading/read-json.ts';

function findReason(bytes: Uint8Array): unknown {
  try {
    parseBody(decodeUtf8(bytes));
    return null;
  } catch (error) {
    return (error as { details?: Record<string, unknown> }).details?.['reason'];
  }
}
const swap = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

test.each([
  ['nothing', Buffer.alloc(0), 'empty'],
  ['blanks only', Buffer.from(' \r\n '), 'empty'],
  ['bytes that are not UTF-8', Buffer.from('{"Client":"Núñez"}', 'latin1'), 'invalid-utf8'],
  ['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'utf-16'],
  ['UTF-16 without it', Buffer.from('{"a":1}', 'utf16le'), 'utf-16'],
  ['UTF-16, big end first', swap(Buffer.from('{"a":1}', 'utf16le')), 'utf-16'],
  ['JSON with a comma too many', Buffer.from('{"a":1,}'), 'broken'],
  ['JSON with something behind it', Buffer.from('{"a":1} done'), 'broken'],
  ['plain text', Buffer.from('Service is starting.'), 'syntax'],
  ['JSON', Buffer.from('\ufeff{"a":1}'), null],
])('an answer of %s is named as what it is', (_what, bytes, reason) => {
  expect(findReason(bytes)).toBe(reason);
});
