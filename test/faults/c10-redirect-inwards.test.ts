import { expect, it } from 'vitest';
import { catchError, createTestClient, firstPage, sendStatus, startReports } from './client/client-rig.ts';

it.each([
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'javascript:alert(1)',
  'data:application/json,{}',
  '//other.example/',
  'http://other.example/',
  'not a target at all',
  `/${'a'.repeat(2000)}`,
])('C10: a redirect to %s is told, never followed', async (location) => {
  const server = await startReports((_request, response) => sendStatus(response, 302, { location }));
  const { client, waitedMs } = createTestClient(server.address);
  const error = await catchError(client.fetchPage(firstPage));
  expect(error.code).toBe('client.redirected');
  expect(String(error.details['location']).length).toBeLessThanOrEqual(500);
  expect(server.requests).toHaveLength(2);
  expect(waitedMs).toEqual([]);
});

it('C10: a redirect to itself is no loop', async () => {
  const server = await startReports((request, response) =>
    sendStatus(response, 307, { location: request.path }),
  );
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error.details['location']).toMatch(
    new RegExp(`^${server.address}/api/ServiceReporting/ExecuteReport/`),
  );
  expect(server.requests).toHaveLength(2);
});
