import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ReportResponse } from '../../src-main/common/reporting/wire-documents.ts';

const MAIN = fileURLToPath(new URL('../../src-main/service/main.ts', import.meta.url));
/** As `npm run service` starts it. */
const SERVICE_ARGS = ['--max-semi-space-size=8', MAIN, '--port', '0'];

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly ms: number;
}

/** The service in a process of its own. */
export interface ServiceProcess {
  readonly startMs: number;
  readonly credentials: { readonly accessToken: string; readonly accessTokenSecret: string };
  /** Processor time up to then in milliseconds; null where the system doesn't say. */
  readonly startCpuMs: number | null;
  /** One POST below the base address, over connections that are kept. */
  call(path: string, body?: unknown): Promise<Answer>;
  /** Most memory it ever held, in MB; null where the system doesn't say. */
  readPeakMb(): number | null;
  stop(): Promise<void>;
}

/** Resolves once the service responds; `startMs` is how long that took from nothing. */
export async function startServiceProcess(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const from = performance.now();
  const child = spawn(process.execPath, [...SERVICE_ARGS, '--data', folder, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...environment },
  });
  const closed = once(child, 'close');
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    closed.then(([code]) => Promise.reject(new Error(`The service ended with ${String(code)}`))),
  ]);
  const startMs = performance.now() - from;
  const { url, tenant, ...credentials } = JSON.parse(line) as {
    url: string;
    tenant: number;
    accessToken: string;
    accessTokenSecret: string;
  };
  const agent = new Agent({ keepAlive: true });
  return {
    startMs,
    startCpuMs: tryReadCpuMs(child.pid ?? 0),
    credentials,
    call: (path, body) =>
      send(agent, `${url}/api/ServiceReporting/${path.replace('{tenant}', String(tenant))}`, body),
    readPeakMb: () => tryReadPeakMb(child.pid ?? 0),
    stop: async () => {
      agent.destroy();
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** The envelope of a report; throws for any other response. */
export function readReport(answer: Answer): ReportResponse {
  if (answer.status !== 200) throw new Error(`Status ${answer.status}`);
  const report = JSON.parse(answer.body.toString()) as ReportResponse;
  if (!report.isValid) throw new Error('A report that is not valid');
  return report;
}

function send(agent: Agent, address: string, body: unknown): Promise<Answer> {
  const from = performance.now();
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const ms = performance.now() - from;
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), ms });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function tryReadPeakMb(pid: number): number | null {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(tryReadProcess(pid, 'status')) ?? [];
  return kib === undefined ? null : (Number(kib) * 1024) / 1e6;
}

function tryReadCpuMs(pid: number): number | null {
  // After the name in brackets: user and system time, in hundredths of a second.
  const fields = tryReadProcess(pid, 'stat').split(') ')[1]?.split(' ');
  return fields === undefined ? null : (Number(fields[11]) + Number(fields[12])) * 10;
}

function tryReadProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
