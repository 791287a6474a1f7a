import { describe, expect, it } from 'vitest';
import { createToken } from '../../../../src-main/core/client/create-reporting-client.ts';
import { parseRetryAfterMs } from '../../../../src-main/core/client/reporting-client.ts';
import { createKnownSecrets } from '../../../../src-main/core/secrets/secret-cleaner.ts';

async function readToken(body: string): Promise<string> {
  const response = {
    status: 200,
    headers: new Headers(),
    bytes: new Uint8Array(Buffer.from(body)).buffer,
    requestedAtMs: 0,
    receivedAtMs: 0,
    serverTimeMs: null,
  };
  const secrets = { accessToken: 'access', accessTokenSecret: 'secret' };
  const cleaner = createKnownSecrets().createCleaner();
  return createToken({ tenant: 7 } as never, secrets, cleaner, () => Promise.resolve(response));
}

describe('a token is understood', () => {
  it.each([
    '{"token":"tok-1\\r\\n"}',
    '{"token":" tok-1 "}',
    '{"token":"Bearer tok-1"}',
    '"bearer  tok-1\\n"',
  ])('from %s', async (body) => {
    expect(await readToken(body)).toBe('tok-1');
  });

  it.each([
    ['{"token":"Bearer "}', 'token-empty'],
    ['{"token":""}', 'token-empty'],
    ['{"token":"a b"}', 'token-blanks'],
    ['{"token":"a\\r\\nb"}', 'token-blanks'],
    ['{"token":"tök"}', 'token-not-ascii'],
    ['{"token":17}', 'token-not-text'],
    ['{"token":{"value":"a"}}', 'token-not-text'],
    ['{"token":null}', 'no-token'],
    ['{"access_token":"a"}', 'token-elsewhere'],
    ['{"token":null,"data":{"Token":"a"}}', 'token-elsewhere'],
    ['{"isValid":true}', 'no-token'],
    ['[]', 'no-token'],
    ['17', 'no-token'],
  ])('but not from %s, of which is said: %s', async (body, reason) => {
    const details = { reason };
    await expect(readToken(body)).rejects.toMatchObject({ code: 'client.unexpected-shape', details });
  });
});

it.each([
  ['0', null],
  ['86400', 86_400_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 1000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', null],
])('decision 24: Retry-After %j asks for %j ms', (text, ms) => {
  expect(parseRetryAfterMs(text, 0)).toBe(ms);
});
