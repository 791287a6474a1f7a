/** Where the operations of the specification begin (section "Endpoints"), relative to the base address. */
const BASE_PATH = '/api/ServiceReporting';

export const CREATE_TOKEN_PATH = `${BASE_PATH}/CreateToken`;

/** Path of the tenant status report, operation 2. A text stands for the tenant in the path of a route. */
export function toStatusPath(tenant: number | string): string {
  return `${BASE_PATH}/Status/${String(tenant)}`;
}

/** Path of one of the four reports, operations 3 to 6. The identifier is sent as given. */
export function toReportPath(tenant: number | string, reportIdentifier: string): string {
  return `${BASE_PATH}/ExecuteReport/${String(tenant)}/${reportIdentifier}`;
}
