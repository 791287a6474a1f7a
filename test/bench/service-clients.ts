import { toWireDate } from '../../src-main/common/reporting/wire-documents.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type ReportKind } from '../../src-main/common/reporting/reports.ts';
import { createRandom, type Random } from '../../src-main/service/sample/random.ts';
import type { BenchPeriod } from './service-peers.ts';
import { readReport, type Answer, type ServiceProcess } from './service-process.ts';

/** Path of a report, for ServiceProcess.call. */
export function toReportPath(report: ReportKind): string {
  return `ExecuteReport/{tenant}/${SPECIFIED_REPORT_IDENTIFIERS[report]}`;
}

/** Body of a report request; both ends of its period are whole seconds and included (decision 5). */
export function toReportBody({ fromMs, toMs }: BenchPeriod, size: number, lastDocument = ''): object {
  return {
    startDate: toWireDate(fromMs, 'UTC'),
    endDate: toWireDate(toMs - 1000, 'UTC'),
    size,
    lastDocument,
  };
}

export interface MixedLoad {
  readonly times: readonly number[];
  readonly errors: readonly string[];
  /** Records that walks should have given and didn't, or gave twice. */
  readonly lostRecords: number;
  readonly walkedRecords: number;
}

interface LoadPlan {
  readonly clients: number;
  readonly forMs: number;
  /** A closed period: nothing arrives in it any more. */
  readonly within: BenchPeriod;
  /** Length of a walk's period, so that it has a few pages. */
  readonly walkMs: number;
}

/** Clients that call the six operations in turn by chance, each waiting for its response, for a time. */
export async function runMixedLoad(service: ServiceProcess, plan: LoadPlan): Promise<MixedLoad> {
  const endMs = performance.now() + plan.forMs;
  const load = { times: [] as number[], errors: [] as string[], lostRecords: 0, walkedRecords: 0 };
  const call = async (path: string, body?: unknown): Promise<Answer> => {
    const answer = await service.call(path, body);
    load.times.push(answer.ms);
    if (answer.status !== 200) throw new Error(`Status ${answer.status} of ${path}`);
    return answer;
  };
  const walk = async (report: ReportKind, period: BenchPeriod): Promise<void> => {
    let lastDocument = '';
    let total: number;
    const seen = new Set<string>();
    let received = 0;
    do {
      const page = readReport(await call(toReportPath(report), toReportBody(period, 1000, lastDocument)));
      total = page.totalDocument;
      received += page.documents.length;
      for (const document of page.documents) seen.add(JSON.stringify(document));
      lastDocument = page.lastDocument;
    } while (lastDocument !== '');
    load.walkedRecords += received;
    load.lostRecords += Math.abs(total - received) + (received - seen.size);
  };
  const runClient = async (random: Random): Promise<void> => {
    while (performance.now() < endMs) {
      const fromMs = plan.within.fromMs + random() * (plan.within.toMs - plan.within.fromMs - plan.walkMs);
      const start = Math.floor(fromMs / 1000) * 1000;
      const short = { fromMs: start, toMs: start + plan.walkMs };
      const long = { fromMs: start, toMs: plan.within.toMs };
      const operations = [
        () => call('CreateToken', { ...service.credentials, tenant: 1001 }),
        () => call('Status/{tenant}'),
        () => walk('inbound-detail', short),
        () => walk('outbound-detail', short),
        async () => readReport(await call(toReportPath('inbound-summary'), toReportBody(long, 10_000))),
        async () => readReport(await call(toReportPath('outbound-summary'), toReportBody(short, 10_000))),
      ];
      try {
        await operations[Math.floor(random() * operations.length)]?.();
      } catch (error) {
        load.errors.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: plan.clients }, (_, client) => runClient(createRandom(client + 1))));
  return load;
}
