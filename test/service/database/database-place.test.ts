import { describe, expect, it } from 'vitest';
import { readDatabasePlace } from '../../../src-main/service/service-options.ts';

const readMode = (url: string, environment: Record<string, string> = {}): string | null => {
  const place = readDatabasePlace({}, { DATABASE_URL: url, ...environment });
  return new URL(place?.url ?? '').searchParams.get('sslmode');
};

describe('the address of a database', () => {
  it.each([
    ['postgres://user:word@db.example/name'],
    ['postgres://user@[2001:db8::1]:5432/name'],
    ['postgres://user@localhost/name?host=10.1.2.3'],
  ])('%s is another machine’s: it has to prove its name over TLS', (url) => {
    expect(readMode(url)).toBe('verify-full');
  });

  it('says otherwise itself, or by the usual variable', () => {
    expect(readMode('postgres://user@db.example/name?sslmode=disable')).toBe('disable');
    expect(readMode('postgres://user@db.example/name', { PGSSLMODE: 'require' })).toBe('verify-full');
    expect(readMode('postgres://user@db.example/name', { PGSSLMODE: 'disable' })).toBe('disable');
    expect(readMode('postgres:///name', { PGHOST: 'db.example' })).toBe('verify-full');
  });

  it.each([
    ['postgres://user@127.0.0.1/name'],
    ['postgres://user@[::1]/name'],
    ['postgres://user@localhost/name'],
    ['postgres://user@localhost/name?host=/run/postgresql'],
    ['postgres:///name'],
  ])('%s stays on this machine', (url) => {
    expect(readMode(url)).toBeNull();
  });
});
