import { join } from 'node:path';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { startTestService } from '../support/service/running-service.ts';

/** An inbound detail record in the service's own words. */
export interface ServedRecord {
  readonly Id: string;
  readonly Date: string;
  readonly Channel: number;
  readonly Client: string;
  readonly Error: string;
  readonly Origin: string;
  readonly Payload: string;
  readonly ReponseCode: number;
  readonly ReponseTime: number;
}

interface ServedPage {
  readonly lastDocument: string;
  readonly documents: readonly ServedRecord[];
}

export interface ServedPeriod {
  readonly startDate: string;
  readonly endDate: string;
}

/**
 * Every inbound record that the built-in service holds of a period, oldest first, read from a service on its
 * folder: the application must have stopped its own.
 */
export async function readServed(dataFolder: string, period: ServedPeriod): Promise<ServedRecord[]> {
  const service = await startTestService({
    dataFolder: join(dataFolder, 'local-service'),
    records: 200_000,
    days: 30,
  });
  const records: ServedRecord[] = [];
  try {
    const address = `${service.url}/api/ServiceReporting/ExecuteReport/1001/${SPECIFIED_REPORT_IDENTIFIERS['inbound-detail']}`;
    let lastDocument = '';
    do {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...period, size: 10_000, lastDocument }),
      });
      const page = (await response.json()) as ServedPage;
      records.push(...page.documents);
      lastDocument = page.lastDocument;
    } while (lastDocument !== '');
  } finally {
    await service.stop();
  }
  return records;
}
