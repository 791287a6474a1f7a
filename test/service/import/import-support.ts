import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addZonedDate, selectDetailColumns } from '../../../src-main/core/exports/export-columns.ts';
import { readPage } from '../../../src-main/common/reporting/reading/read-page.ts';
import type { DetailKind } from '../../../src-main/common/reporting/reports.ts';
import { createCsvWriter, createJsonWriter } from '../../../src-main/core/exports/formats/export-writer.ts';
import { describeFaults } from '../../../src-main/service/import/import-fields.ts';
import type { ImportOutcome, ImportRequest } from '../../../src-main/service/import/import-file.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { callReport, toPeriod, walkReport } from '../../support/service/service-calls.ts';

export const FORMATS = ['csv', 'ndjson', 'json'] as const;
export type Format = (typeof FORMATS)[number];
export const DETAILS = ['inbound-detail', 'outbound-detail'] as const;

/** Everything that a service can hold. */
export const ALL_TIME = toPeriod(0, Date.UTC(2200, 0, 1) - 1);

/** All records of a report as the application reads and exports them. */
export async function exportRecords(
  service: RunningService,
  report: DetailKind,
  format: Format,
  { includePayload = true, zone = 'UTC' }: { includePayload?: boolean; zone?: string } = {},
): Promise<string> {
  const page = await callReport(service, report, { ...ALL_TIME, size: 10_000 });
  const { records } = readPage(new TextEncoder().encode(JSON.stringify(page)), { report, zone: 'UTC' });
  const rows = records.map((record, seq) => ({
    ...record,
    extra: {},
    snapshotId: 1,
    seq,
    payloadPreview: '',
    payloadLength: record.payload.length,
  }));
  const columns = addZonedDate(selectDetailColumns(report, includePayload), report, zone);
  if (format === 'ndjson') {
    return rows
      .map((row) => JSON.stringify(Object.fromEntries(columns.map(({ name, read }) => [name, read(row)]))))
      .join('\n');
  }
  const writer = (format === 'csv' ? createCsvWriter : createJsonWriter)(columns, {
    report,
    tenant: service.tenant,
    ...ALL_TIME,
    zone: 'UTC',
    state: 'complete',
    recordCount: rows.length,
    exportedAt: '2026-11-21T00:00:00.000Z',
  });
  return writer.begin() + writer.write(rows) + writer.end();
}

/** Every document that a service serves, both directions and the summary. */
export async function readEverything(service: RunningService): Promise<unknown[]> {
  const details = await Promise.all(DETAILS.map((report) => walkReport(service, report, ALL_TIME, 10_000)));
  return [...details, await walkReport(service, 'inbound-summary', ALL_TIME, 10_000)];
}

/** What became of an import, with its problems as the service describes them. */
export type DescribedOutcome = Omit<ImportOutcome, 'report'> & {
  readonly report: Omit<ImportOutcome['report'], 'problems'> & {
    readonly problems: readonly { readonly line: number; readonly reason: string }[];
  };
};

/** Imports a text (or bytes) as the file that it would be. */
export async function importText(
  service: Pick<RunningService, 'importFile'>,
  content: string | Uint8Array,
  change: Partial<ImportRequest> = {},
): Promise<DescribedOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  try {
    const path = join(folder, 'records.dat');
    await writeFile(path, content);
    const outcome = await service.importFile({
      path,
      stated: null,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      ...change,
    });
    const problems = outcome.report.problems.map(({ line, faults }) => ({
      line,
      reason: describeFaults(faults),
    }));
    return { ...outcome, report: { ...outcome.report, problems } };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** An inbound record in the spelling of the specification, changed as given. */
export function toInbound(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Id: '0f8fad5b-d9cb-469f-a165-70867728950e',
    Date: '2026-11-19T10:15:30.123Z',
    Channel: 3,
    Service: 7,
    Client: 'Ana',
    ReponseTime: 12.5,
    ReponseCode: 200,
    Error: '',
    BotLatency: 40,
    Payload: 'hello',
    Origin: 'web',
    ...change,
  };
}

export function toNdjson(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The first line of a CSV file of inbound records. */
export const CSV_HEADER =
  'Id,Date,Channel,Service,Client,ReponseTime,ReponseCode,Error,BotLatency,Payload,Origin';

let marks = 0;
/** A row that no other test has: every one is new to the store. */
export function toCsvRow(
  change: Partial<Record<'Date' | 'Channel' | 'ReponseTime' | 'Client', string>> = {},
): string {
  marks += 1;
  const {
    Date: date = '2026-11-19T10:15:30.123Z',
    Channel = '3',
    ReponseTime = '12.5',
    Client = '"Ana"',
  } = change;
  return `id-${marks},${date},${Channel},7,${Client},${ReponseTime},200,,40,hello,web`;
}
