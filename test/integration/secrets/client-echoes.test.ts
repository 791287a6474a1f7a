import { describe, expect, it } from 'vitest';
import { createTestClient, firstPage, startServer } from '../../faults/client/client-rig.ts';
import { sendJson, toEnvelope, type ReceivedRequest } from '../../support/network/fault-server.ts';
import { ALL_FORMS, CANARIES, findCanaries } from './canary-forms.ts';

type Respond = (text: string, response: Parameters<Parameters<typeof startServer>[0]>[1]) => void;

const secrets = () => Promise.resolve(CANARIES);
const endRaw =
  (status: number, type: string): Respond =>
  (text, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(text);
  };
/** A text inside JSON that is written by hand, so that its escapes stay as they are. */
const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(`"${text}"`);
    return true;
  } catch {
    return false;
  }
};

/** How a service may answer a report with what it was sent. */
const ECHOES: Readonly<Record<string, Respond>> = {
  'an error in plain text': endRaw(400, 'text/plain'),
  'a problem in JSON': (text, response) => sendJson(response, { title: 'Bad', detail: `no: ${text}` }, 400),
  'a refusal with status 200': (text, response) =>
    sendJson(response, toEnvelope([], { isValid: false, errors: [{ field: text, message: `no: ${text}` }] })),
  'a web page': (text, response) => endRaw(200, 'text/html')(`<!doctype html><p>${text}</p>`, response),
  'no JSON': endRaw(200, 'application/json'),
  'JSON that is cut': (text, response) =>
    endRaw(200, 'application/json')(`{"documents":[{"Id":"${text}`, response),
  'a redirect': (text, response) => {
    const path = encodeURI(text).replaceAll('\\', '%5C');
    response.writeHead(302, {
      location: `https://user:${encodeURIComponent(text)}@other.example.com/${path}?q=1`,
    });
    response.end();
  },
  'a record': (text, response) =>
    sendJson(response, toEnvelope([{ Id: 'a', Client: 'Ana', Payload: `was ${text} here` }])),
  'a name and a cursor': (text, response) =>
    sendJson(response, toEnvelope([], { nameVisualization: text, lastDocument: text, [text]: 1 })),
  'Latin-1': (text, response) => void response.end(Buffer.from(text, 'latin1')),
  'UTF-16': (text, response) => void response.end(Buffer.from(text, 'utf16le')),
};

async function callWithEcho(respond: Respond, text: string): Promise<string> {
  const isToken = ({ path }: ReceivedRequest): boolean => path.endsWith('/CreateToken');
  const server = await startServer((request, response) => {
    if (isToken(request)) sendJson(response, { token: CANARIES.token });
    else respond(text, response);
  });
  const { client } = createTestClient(server.address, { secrets });
  try {
    const page = await client.fetchPage(firstPage);
    return Buffer.from(page.bytes).toString('utf8');
  } catch (error) {
    return JSON.stringify([String(error), error]);
  } finally {
    await server.close();
  }
}

describe('no form of a secret or token comes back from a service that echoes it in', () => {
  it.each(Object.keys(ECHOES))(
    '%s',
    async (name) => {
      for (const form of ALL_FORMS) {
        const seen = await callWithEcho(ECHOES[name]!, form.text);
        expect({ form: form.name, left: findCanaries(seen), parsed: findCanaries(tryParse(seen)) }).toEqual({
          form: form.name,
          left: [],
          parsed: [],
        });
      }
    },
    120_000,
  );

  it('JSON with escapes of its own', async () => {
    for (const { text } of ALL_FORMS.filter((form) => isJsonText(form.text))) {
      const seen = await callWithEcho(
        endRaw(200, 'application/json'),
        `{"isValid":true,"n":12345678901234567890,"documents":[{"Id":"${text}","Payload":"a \\u00e9"}]}`,
      );
      expect(findCanaries(tryParse(seen))).toEqual([]);
      expect(seen).toContain('12345678901234567890');
      expect(JSON.parse(seen)).toMatchObject({ documents: [{ Payload: 'a é' }] });
    }
  }, 60_000);
});

describe('the answer to CreateToken', () => {
  it.each([
    CANARIES.token,
    `${CANARIES.token}\n`,
    `"${CANARIES.token.slice(0, -1)}`,
    `{"token":"${CANARIES.token.replaceAll('"', '\\"')}`,
    `token=${CANARIES.token}`,
  ])('that holds the token in another form, %j, is not shown', async (text) => {
    const server = await startServer((_request, response) => void response.end(text));
    const { client } = createTestClient(server.address, { secrets });
    const error: unknown = await client.createToken().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: expect.stringMatching(/^client\./) as string });
    expect(JSON.stringify([String(error), error])).not.toMatch(/b3ar|Tok\+/);
  });

  it.each(ALL_FORMS)('of status 500 holds no $name', async ({ text }) => {
    const server = await startServer((_request, response) => {
      response.writeHead(500);
      response.end(`Failed on {"accessToken":"${text}"}`);
    });
    const { client } = createTestClient(server.address, { secrets });
    const error: unknown = await client.createToken().catch((reason: unknown) => reason);
    // The token is not known before there is one.
    const left = findCanaries(JSON.stringify(error)).filter((name) => !name.startsWith('token,'));
    expect(left).toEqual([]);
  });
});

it('a page without secrets is handed over as it came, byte for byte', async () => {
  const body = Buffer.from(
    '{"isValid":true,"documents":[{"Id":"\\u00e9\\/","Payload":"secret retail bearer"}]}',
  );
  const server = await startServer((request, response) => {
    if (request.path.endsWith('/CreateToken')) sendJson(response, { token: CANARIES.token });
    else response.end(body);
  });
  const page = await createTestClient(server.address, { secrets }).client.fetchPage(firstPage);
  expect(Buffer.from(page.bytes).equals(body)).toBe(true);
  expect(page.removedSecrets).toBe(0);
});

function tryParse(text: string): string {
  const values: string[] = [];
  try {
    JSON.parse(text, (key, value: unknown) => {
      values.push(key);
      if (typeof value === 'string') values.push(value);
      return value;
    });
  } catch {
    return text;
  }
  return values.join('\n');
}
