import { expect, test } from 'vitest';
import {
  findFaults,
  hasFaults,
  isPlainHttp,
  isSecretTrimmed,
  sharesSummaryIdentifier,
  toFields,
  toInput,
} from '../../../../src-renderer/screens/connections/connection-form.ts';
import { makeConnection } from '../support/samples.ts';

const stored = toFields(makeConnection());

test('secrets begin empty, and are left out of what is sent unless they were typed', () => {
  expect(stored).toMatchObject({ accessToken: '', accessTokenSecret: '' });
  expect(toInput(stored).secrets).toEqual({});
  expect(toInput({ ...stored, accessTokenSecret: 's3' }).secrets).toEqual({ accessTokenSecret: 's3' });
});

test('secrets are taken without what copying them brings along, and blanks alone for none', () => {
  const pasted = { ...stored, accessToken: ' rk_1\r\n', accessTokenSecret: '\u200b s3 t\u00a0\ufeff' };
  expect(toInput(pasted).secrets).toEqual({ accessToken: 'rk_1', accessTokenSecret: 's3 t' });
  expect([pasted.accessToken, pasted.accessTokenSecret, ' '].map(isSecretTrimmed)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['', 'rk_1', 's3 t'].map(isSecretTrimmed)).toEqual([false, false, false]);
  const blank = { ...stored, accessToken: '  ', accessTokenSecret: '\n' };
  expect(toInput(blank).secrets).toEqual({});
  expect(findFaults(blank, 'missing').fields).toMatchObject({
    accessToken: 'secretMissing',
    accessTokenSecret: 'secretMissing',
  });
});

test('a saved connection has no faults, and its fields send it back unchanged', () => {
  const { id, kind, secrets, secretsOrigin, createdAtMs, ...draft } = makeConnection();
  expect([id, kind, secrets, createdAtMs]).toEqual(['a', 'remote', 'keychain', 0]);
  expect(secretsOrigin).toBe(draft.baseAddress);
  expect(hasFaults(findFaults(stored, 'keychain'))).toBe(false);
  const follow = { followed: false, followSeconds: 30, lookBackMinutes: 10, walks: 0 };
  expect(toInput(stored).draft).toEqual({ ...draft, ...follow, allowsPlainHttp: false });
});

test('an empty form names each field that is missing', () => {
  const { fields } = findFaults(toFields(null), 'missing');
  expect(fields).toEqual({
    name: 'nameMissing',
    tenant: 'tenantNotNumber',
    baseAddress: 'addressMissing',
    accessToken: 'secretMissing',
    accessTokenSecret: 'secretMissing',
  });
});

test('decision 30, client: an address with credentials, a query or another scheme is a fault of its field', () => {
  const fault = (baseAddress: string) =>
    findFaults({ ...stored, baseAddress }, 'keychain').fields.baseAddress;
  expect(fault('https://user:word@reports.example.com')).toBe('addressCredentials');
  expect(fault('https://reports.example.com?x=1')).toBe('addressQuery');
  expect(fault('ftp://reports.example.com')).toBe('addressInvalid');
  expect(fault('https://reports.example.com/api/ServiceReporting/CreateToken')).toBeUndefined();
});

test('decision 30, client: plain http is warned of, except on this computer', () => {
  expect(isPlainHttp('http://reports.example.com')).toBe(true);
  expect(isPlainHttp('http://127.0.0.1:43117')).toBe(false);
  expect(isPlainHttp('https://reports.example.com')).toBe(false);
  expect(isPlainHttp('nonsense')).toBe(false);
});

test('decision 11, client: the shared summary identifier is noticed in any letter case', () => {
  expect(sharesSummaryIdentifier(stored)).toBe(true);
  const ids = stored.reportIdentifiers;
  const lower = { ...ids, 'outbound-summary': ids['outbound-summary'].toLowerCase() };
  expect(sharesSummaryIdentifier({ ...stored, reportIdentifiers: lower })).toBe(true);
  const own = { ...ids, 'outbound-summary': '00000000-0000-0000-0000-000000000001' };
  expect(sharesSummaryIdentifier({ ...stored, reportIdentifiers: own })).toBe(false);
});

test('an identifier that is no GUID is a fault of its report', () => {
  const reportIdentifiers = { ...stored.reportIdentifiers, 'inbound-detail': 'x' };
  expect(findFaults({ ...stored, reportIdentifiers }, 'keychain').identifiers).toEqual({
    'inbound-detail': 'notGuid',
  });
});
