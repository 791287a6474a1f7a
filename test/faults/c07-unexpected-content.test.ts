import { describe, expect, it } from 'vitest';
import { readPage } from '../../src-main/common/reporting/reading/read-page.ts';
import type { Answer } from '../support/network/fault-server.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  sendBody,
  startReports,
  startServer,
} from './client/client-rig.ts';

const login = '<!doctype html>\n<html><body>Sign in to example, user-part</body></html>';
const bodyOf204: Answer = (_request, response) => {
  response.socket?.write('HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n{}');
  response.socket?.end();
};

describe('C07: responses that are no page', () => {
  it.each<[string, Answer, string, string]>([
    ['a web page', sendBody(login, { 'content-type': 'application/json' }), 'client.html', '<!doctype html>'],
    ['nothing at all', sendBody(''), 'client.not-json', 'empty'],
    ['204 with a body', bodyOf204, 'client.not-json', 'empty'],
    ['null', sendBody('null'), 'client.unexpected-shape', 'null'],
    ['a number', sendBody('42'), 'client.unexpected-shape', 'number'],
    ['a list of numbers', sendBody('[1,2,3]'), 'client.unexpected-shape', 'not-an-object'],
    ['plain words', sendBody('Service starting'), 'client.not-json', 'syntax'],
  ])('C07: %s is reported by what it is, not by its body', async (_name, fault, code, detail) => {
    const server = await startReports(fault);
    const call = createTestClient(server.address)
      .client.fetchPage(firstPage)
      .then(({ bytes }) => readPage(new Uint8Array(bytes), { report: 'inbound-detail', zone: 'UTC' }));
    const error = await catchError(call);
    expect(error.code).toBe(code);
    expect(Object.values(error.details)).toContain(detail);
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain('user-part');
  });

  it('C07: a web page in place of a token or a status is reported as one too', async () => {
    const server = await startServer(sendBody(login));
    expect((await catchError(createTestClient(server.address).client.createToken())).code).toBe(
      'client.html',
    );
    const reports = await startReports(sendBody(login));
    expect((await catchError(createTestClient(reports.address).client.fetchStatus())).code).toBe(
      'client.html',
    );
  });
});
