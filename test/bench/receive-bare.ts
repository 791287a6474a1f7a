import type { Period } from '../../src-main/common/model/period.ts';
import { toReportPath, SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';

/** The bundled service writes the cursor before the records. */
const HEAD_BYTES = 2000;

/**
 * Walks the inbound report page after page and drops what it receives: what the service and the network alone take.
 * Returns the milliseconds.
 */
export async function receiveBare(
  { url, tenant }: { readonly url: string; readonly tenant: number },
  { startDate, endDate }: Period,
  size: number,
): Promise<number> {
  const address = `${url}${toReportPath(tenant, SPECIFIED_REPORT_IDENTIFIERS['inbound-detail'])}`;
  const from = performance.now();
  let lastDocument = '';
  do {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ startDate, endDate, size, lastDocument }),
    });
    const head = Buffer.from(await response.arrayBuffer()).toString('latin1', 0, HEAD_BYTES);
    const cursor = /"lastDocument":"([^"]*)"/.exec(head)?.[1];
    if (!response.ok || cursor === undefined) throw new Error(`No page, but status ${response.status}.`);
    lastDocument = cursor;
  } while (lastDocument !== '');
  return performance.now() - from;
}
