import fc from 'fast-check';
import { Value } from 'typebox/value';
import { describe, expect, it, test } from 'vitest';
import { findSettingFault } from '../../../../../src-main/common/model/settings/settings-file.ts';
import { findProxyFault, toProxyChoice } from '../../../../../src-main/common/model/settings/network.ts';
import {
  readDefault,
  SETTING_ENTRIES,
  Settings,
} from '../../../../../src-main/common/model/settings/settings.ts';

const likely = fc.oneof(
  fc.constantFrom('system', 'dark', 'none', 'manual', 'class', 'utc', 'monday', '', true, false, null),
  fc.integer({ min: -5, max: 100_000 }),
  fc.double(),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.string({ maxLength: 400 }),
  fc.anything(),
);

test('a value has a fault where the schema refuses it, and only there', () => {
  const names = fc.constantFrom(...SETTING_ENTRIES.map(({ name }) => name));
  fc.assert(
    fc.property(names, likely, (name, value) => {
      const fits = Value.Check(Settings.properties[name], value);
      const fault = findSettingFault(name, value);
      if (name === 'proxyAddress' && fits) return fault === null || fault.code.startsWith('proxy-');
      return fits === (fault === null);
    }),
    { numRuns: 2000 },
  );
});

test('every setting that is shown has a default that fits, and each once', () => {
  for (const { name } of SETTING_ENTRIES) expect(findSettingFault(name, readDefault(name)), name).toBeNull();
  expect(new Set(SETTING_ENTRIES.map(({ name }) => name)).size).toBe(SETTING_ENTRIES.length);
});

test('a fault says the limit that was passed', () => {
  expect(findSettingFault('engineMemoryMb', 64)).toEqual({ code: 'too-small', limit: 128 });
  expect(findSettingFault('engineMemoryMb', 70_000)).toEqual({ code: 'too-large', limit: 65_536 });
  expect(findSettingFault('engineMemoryMb', 'much')).toEqual({ code: 'no-number' });
});

describe('the address of a proxy', () => {
  it.each([
    ['', null],
    ['proxy.example.com:8080', null],
    ['proxy', null],
    ['https://proxy.example.com', null],
    ['http://[::1]:3128/', null],
    ['proxy example', 'proxy-form'],
    ['http://', 'proxy-form'],
    ['proxy:port', 'proxy-form'],
    ['socks5://proxy:1080', 'proxy-scheme'],
    ['user:word@proxy:8080', 'proxy-credentials'],
    ['http://user@proxy:8080', 'proxy-credentials'],
    ['http://proxy:8080/path', 'proxy-path'],
    ['http://proxy:8080/?a', 'proxy-path'],
  ])('%s', (typed, fault) => expect(findProxyFault(typed)).toBe(fault));

  it('is completed for the host', () => {
    const toChoice = (proxyAddress: string, proxyExceptions = '') =>
      toProxyChoice({ proxyMode: 'manual', proxyAddress, proxyExceptions });
    expect(toChoice(' proxy.example.com:8080 ', 'a.example.com, b.example.com;c')).toEqual({
      mode: 'manual',
      address: 'http://proxy.example.com:8080',
      exceptions: ['a.example.com', 'b.example.com', 'c'],
    });
    expect(toChoice('https://proxy')).toMatchObject({ address: 'https://proxy:443' });
    expect(toChoice('http://proxy:80')).toMatchObject({ address: 'http://proxy:80' });
    // Nothing goes by an address that is none: the system's way stays.
    expect(toChoice('')).toEqual({ mode: 'system' });
    expect(toProxyChoice({ proxyMode: 'none', proxyAddress: 'proxy:1', proxyExceptions: '' })).toEqual({
      mode: 'none',
    });
  });
});
