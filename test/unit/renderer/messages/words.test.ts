import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../../src-main/common/contract/errors.ts';
import { NOTE_BITS } from '../../../../src-main/common/reporting/read-value.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { toErrorLike } from '../../../../src-renderer/messages/error-like.ts';

const SHAPE_REMARKS = [
  'shape-new-fields',
  'shape-lost-fields',
  'shape-new-types',
  'shape-new-dates',
  'shape-new-cursor',
  'shape-smaller-pages',
  'dates-outside-period',
];
const { t, te } = createMessages().global;

describe('words', () => {
  test.each(ERROR_CODES)('%s says what happened and what to do', (code) => {
    for (const part of ['title', 'text', 'action']) {
      const key = `errors.${code}.${part}`;
      expect(te(key), key).toBe(true);
      expect(t(key, { body: 'x', zone: 'x' })).not.toMatch(/[{}]|^errors\./);
    }
  });

  test.each([...Object.keys(NOTE_BITS), ...SHAPE_REMARKS])('the remark %s has words', (code) => {
    expect(te(`remarks.${code}`)).toBe(true);
  });
});

test('what is thrown keeps its code and details, and anything else is an unexpected error', () => {
  expect(toErrorLike({ code: 'client.tls', details: { address: 'x' } })).toEqual({
    code: 'client.tls',
    details: { address: 'x' },
  });
  expect(toErrorLike(new Error('x'))).toEqual({ code: 'app.bug', details: {} });
  expect(toErrorLike(null)).toEqual({ code: 'app.bug', details: {} });
});
