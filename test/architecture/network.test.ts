import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const core = fileURLToPath(new URL('../../src-main/core', import.meta.url));
const NETWORK =
  /\bfetch\(|from 'node:(http|https|http2|net|tls|dgram|dns)'|new WebSocket|EventSource|from 'nodemailer/;

it('H-01: only the client of the core uses the network, and what posts alerts where a person wants them', () => {
  const files = readdirSync(core, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && NETWORK.test(readFileSync(join(core, name), 'utf8')));
  expect(files).toContain('client/reporting-client.ts');
  expect(files.filter((name) => !name.startsWith('client/'))).toEqual([
    'destinations/send-mail.ts',
    'destinations/send-message.ts',
  ]);
});
