import { Value } from 'typebox/value';
import { SPECIFIED_REPORT_IDENTIFIERS, type ReportKind } from '../../../src-main/common/reporting/reports.ts';
import { ReportResponse, toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { expect } from 'vitest';

export interface CalledService {
  readonly url: string;
  readonly tenant: number;
}

/** One POST as a program would send it; a string body is sent as it is. */
export async function post(
  service: CalledService,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(service.url + path, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Headers of a call to a service that requires a token: a fresh one. */
export async function authorise(
  service: CalledService & { readonly accessToken: string; readonly accessTokenSecret: string },
): Promise<Record<string, string>> {
  const { accessToken, accessTokenSecret, tenant } = service;
  const body = { accessToken, accessTokenSecret, tenant };
  const response = await post(service, '/api/ServiceReporting/CreateToken', body);
  const { token } = (await response.json()) as { token: string };
  return { authorization: `bearer ${token}` };
}

/** Path of a report of the service's tenant. */
export function toReportAddress(
  service: CalledService,
  report: ReportKind | `${string}-${string}-${string}`,
): string {
  const identifier =
    report in SPECIFIED_REPORT_IDENTIFIERS ? SPECIFIED_REPORT_IDENTIFIERS[report as ReportKind] : report;
  return `/api/ServiceReporting/ExecuteReport/${service.tenant}/${identifier}`;
}

/** A report's response, checked against the schema of the interface. */
export async function callReport(
  service: CalledService,
  report: ReportKind,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ReportResponse> {
  const response = await post(service, toReportAddress(service, report), body, headers);
  expect(response.status).toBe(200);
  const content: unknown = await response.json();
  if (!Value.Check(ReportResponse, content)) {
    throw new Error(`Not as specified: ${JSON.stringify(Value.Errors(ReportResponse, content)[0])}`);
  }
  return content;
}

/** Every document of a period, walked by lastDocument; checks that the end is where it should be. */
export async function walkReport<T>(
  service: CalledService,
  report: ReportKind,
  period: { readonly startDate: string; readonly endDate: string },
  size: number,
  onPage: (page: ReportResponse) => unknown = () => undefined,
): Promise<T[]> {
  const documents: unknown[] = [];
  let lastDocument = '';
  do {
    const page = await callReport(service, report, { ...period, size, lastDocument });
    expect(page.isValid).toBe(true);
    expect(page.documents.length).toBeLessThanOrEqual(size);
    documents.push(...page.documents);
    lastDocument = page.lastDocument;
    await onPage(page);
  } while (lastDocument !== '');
  return documents as T[];
}

/** A period in UTC, as the service takes it. */
export function toPeriod(fromMs: number, toMs: number): { startDate: string; endDate: string } {
  return { startDate: toWireDate(fromMs, 'UTC'), endDate: toWireDate(toMs, 'UTC') };
}
