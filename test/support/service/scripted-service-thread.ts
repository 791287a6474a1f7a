/**
 * Stands in for the bundled service's thread in tests: it keeps to the messages, responds on HTTP, and does what the
 * test requests by path: `/options` and `/heard` return what it received, `/crash` throws, `/requests/N` reports N
 * served requests. The words of an imported file say what the import does, line by line.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../../../src-main/common/local-service-messages.ts';
import type { ImportReport } from '../../../src-main/common/model/connections/local-service.ts';

const options = workerData as ServiceStartOptions;
const heard: ToServiceThread[] = [];
const post = (message: FromServiceThread): void => parentPort?.postMessage(message);

const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path === '/crash') {
    throw new Error('asked to crash');
  } else if (path === '/options') {
    response.end(JSON.stringify(options));
  } else if (path === '/heard') {
    response.end(JSON.stringify(heard));
  } else {
    const count = Number(path.split('/').at(-1));
    const requests = Array.from({ length: count }, (_, index) => ({
      atMs: 1_000 + index,
      method: 'POST',
      route: '/api/report',
      report: null,
      status: 200,
      durationMs: 1.5,
    }));
    post({ kind: 'requests', requests });
    response.end();
  }
});

const cancelled = new Set<string>();

function importFile(importId: string, path: string): void {
  const report: ImportReport = { lines: 0, added: 0, known: 0, rejected: 0, problems: [] };
  const end = (failure: string | null): void =>
    post({
      kind: 'import-ended',
      importId,
      report,
      cancelled: cancelled.has(importId),
      failure,
      details: {},
    });
  const text = readFileSync(path, 'utf8');
  if (text.startsWith('crash')) throw new Error('crashed while importing');
  for (const line of text.trim().split('\n')) {
    report.lines += 1;
    if (line === 'good') report.added += 1;
    else if (line === 'known') report.known += 1;
    else if (line === 'bad') {
      report.rejected += 1;
      report.problems.push({ line: report.lines, faults: [{ code: 'not-object', values: {} }] });
    } else if (line === 'broken') {
      end('the file ends inside a quoted value');
      return;
    } else if (line === 'wait') {
      post({ kind: 'import-progressed', importId, bytesRead: 1, totalBytes: text.length, report });
      const timer = setInterval(() => {
        if (!cancelled.has(importId)) return;
        clearInterval(timer);
        end(null);
      }, 5);
      return;
    }
  }
  end(null);
}

parentPort?.on('message', (message: ToServiceThread) => {
  heard.push(message);
  if (message.kind === 'import') importFile(message.importId, message.path);
  if (message.kind === 'cancel-import') cancelled.add(message.importId);
  if (message.kind !== 'stop') return;
  server.close();
  server.closeAllConnections();
  post({ kind: 'stopped' });
  parentPort?.close();
});

server.on('error', (error) => {
  post({ kind: 'failed', message: error.message });
  parentPort?.close();
});
server.listen(options.port, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  post({
    kind: 'ready',
    url: `http://127.0.0.1:${String(port)}`,
    tenant: options.tenant,
    accessToken: 'token-of-the-service',
    accessTokenSecret: 'secret-of-the-service',
  });
  post({ kind: 'stats', inboundRecords: 10, outboundRecords: 20, storeBytes: 4096 });
});
