import { describe, expect, it } from 'vitest';
import { readEnvelopeRest } from '../../../../src-main/common/reporting/reading/find-records.ts';

const record = { Id: 's', Date: '2026-11-20T10:00:00Z', ReponseCode: 200, Channel: 1 };
const read = (body: unknown) =>
  readEnvelopeRest(
    new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    'inbound-detail',
  );

describe('decision 22, client: what a page says beside its records', () => {
  it('is nothing where there is nothing but the envelope', () => {
    const envelope = { isValid: true, executionTime: 3, idReport: 'a', nameVisualization: 'b' };
    const body = { ...envelope, totalDocument: 1, pageCount: null, lastDocument: '', documents: [record] };
    expect(read(body)).toEqual({ fields: {}, leftOut: 0 });
    expect(read([record])).toEqual({ fields: {}, leftOut: 0 });
  });

  it('is kept as received, dangerous names and every digit included', () => {
    const body =
      '{"isValid":true,"region":"eu","took":1.50,"big":12345678901234567890,"__proto__":{"a":1},' +
      `"warnings":[{"text":"late"}],"documents":[${JSON.stringify(record)}]}`;
    expect(Object.entries(read(body).fields)).toEqual([
      ['region', '"eu"'],
      ['took', '1.50'],
      ['big', '12345678901234567890'],
      ['__proto__', '{"a":1}'],
      ['warnings', '[{"text":"late"}]'],
    ]);
  });

  it('holds values of the envelope that can not be read', () => {
    const body = { isValid: 'maybe', totalDocument: 'many', executionTime: '12abc', pageCount: 7 };
    expect(read({ ...body, documents: [record] }).fields).toEqual({
      isValid: '"maybe"',
      totalDocument: '"many"',
      executionTime: '"12abc"',
      pageCount: '7',
    });
  });

  it.each([
    ['one level down', { result: { rows: [record], region: 'eu', lastDocument: 'x' } }],
    ['one level down, as a text', { result: JSON.stringify({ rows: [record], region: 'eu' }) }],
    ['in an object with the cursor', { documents: [record], result: { lastDocument: 'x', region: 'eu' } }],
  ])('has the names on the way to it: %s', (_name, body) => {
    expect(read(body).fields).toEqual({ 'result.region': '"eu"' });
  });

  it('is found in a body that is a JSON text, beside records that are one', () => {
    const body = JSON.stringify({ documents: JSON.stringify([record]), region: 'eu' });
    expect(read(JSON.stringify(body)).fields).toEqual({ region: '"eu"' });
  });

  it('is counted where it is too long or nested too deep to be shown', () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const body = `{"documents":[${JSON.stringify(record)}],"deep":${deep},"long":"${'x'.repeat(30_000)}"}`;
    expect(read(body)).toEqual({ fields: {}, leftOut: 2 });
  });
});
