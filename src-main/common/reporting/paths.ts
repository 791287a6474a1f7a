/** Paths of the reporting service, relative to the base address (specification, section Endpoints). */
export const CREATE_TOKEN_PATH = '/api/ServiceReporting/CreateToken';

/** Path of the tenant status report, operation 2. */
export function toStatusPath(tenant: number): string {
  return `/api/ServiceReporting/Status/${String(tenant)}`;
}

/** Path of one of the four reports, operations 3 to 6. The identifier is sent as given. */
export function toReportPath(tenant: number, reportIdentifier: string): string {
  return `/api/ServiceReporting/ExecuteReport/${String(tenant)}/${reportIdentifier}`;
}
