import { parseExactly } from '../../src-main/common/json/exact-json.ts';
import type { PageRequest } from '../../src-main/common/model/cache/download.ts';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { listFields, type Direction } from '../../src-main/common/reporting/reports.ts';

/** A record as JSON with the service's own names, for pages that hold no text of it. */
export function toRecordJson(record: RecordDetail, direction: Direction): string {
  const values: Readonly<Record<string, unknown>> = { ...record };
  const fields = listFields(`${direction}-detail`).map(([name, { wireName }]) => [wireName, values[name]]);
  const extra = Object.entries(record.extra).map(([name, text]) => [name, parseExactly(text)]);
  return JSON.stringify({ ...Object.fromEntries(fields), ...Object.fromEntries(extra) }, null, 2);
}

/** The command that makes a request again in a POSIX shell; `<token>` stands for a token that was never kept. */
export function toCurlCommand({ method, address, body }: PageRequest): string {
  return [
    `curl --request ${method} ${quote(address)}`,
    `--header ${quote('accept: application/json')}`,
    `--header ${quote('authorization: bearer <token>')}`,
    `--header ${quote('content-type: application/json; charset=utf-8')}`,
    `--data-raw ${quote(body)}`,
  ].join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
