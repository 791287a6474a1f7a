import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { catchError, createTestClient } from './client-rig.ts';

function makeCertificate(): { key: Buffer; cert: Buffer } | null {
  const folder = mkdtempSync(join(tmpdir(), 'channelscope-tls-'));
  const key = join(folder, 'key.pem');
  const cert = join(folder, 'cert.pem');
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    const args = ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...subject];
    execFileSync('openssl', args, { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const certificate = makeCertificate();

it.skipIf(certificate === null)(
  'C14: a certificate that signs itself ends the call at once, before any credential is sent',
  async () => {
    let requestCount = 0;
    const server = createServer({ ...certificate! }, (_request, response) => {
      requestCount += 1;
      response.end('{"token":"x"}');
    });
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { client, waitedMs } = createTestClient(`https://127.0.0.1:${port}`);
    const error = await catchError(client.createToken());
    expect(error).toMatchObject({ code: 'client.tls', details: { reason: 'self-signed' } });
    expect(requestCount).toBe(0);
    expect(waitedMs).toEqual([]);
  },
);
