import { describe, expect, it } from 'vitest';
import { createKnownSecrets, type KnownSecrets } from '../../../src-main/core/secrets/secret-cleaner.ts';
import { createTestClient, firstPage, isTokenRequest, startServer } from '../../faults/client/client-rig.ts';
import { createSkipClock } from '../../support/fakes/skip-clock.ts';
import { sendJson, toEnvelope } from '../../support/network/fault-server.ts';
import { ALL_FORMS, CANARIES, findCanaries } from './canary-forms.ts';

type Respond = (text: string, response: Parameters<Parameters<typeof startServer>[0]>[1]) => void;

/** More than the list of all that were seen lately holds. */
const OTHER_TOKENS = 80;

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

/** Asks a service for a page for each text, which it answers with; resolves with what the client made of the answers. */
async function listSeen(texts: readonly string[], respond: Respond): Promise<string[]> {
  let text = '';
  const server = await startServer((request, response) => {
    if (isTokenRequest(request)) sendJson(response, { token: CANARIES.token });
    else respond(text, response);
  });
  const knownSecrets = createKnownSecrets();
  const clock = createSkipClock();
  const { client } = createTestClient(server.address, { secrets, knownSecrets, clock });
  const seen: string[] = [];
  for (text of texts) {
    // After some failures in a row calls rest.
    clock.jump(60_000);
    if (seen.length === 1) await fillWithOthers(knownSecrets);
    try {
      seen.push(Buffer.from((await client.fetchPage(firstPage)).bytes).toString('utf8'));
    } catch (error) {
      seen.push(JSON.stringify([String(error), error]));
    }
  }
  return seen;
}

/** Lets a client of another connection be given more tokens than are kept of those that nobody uses any longer. */
async function fillWithOthers(knownSecrets: KnownSecrets): Promise<void> {
  let count = 0;
  const server = await startServer((_request, response) => {
    count += 1;
    sendJson(response, { token: `token-${count}-of-somebody-else` });
  });
  const other = createTestClient(server.address, { knownSecrets });
  for (let turn = 0; turn < OTHER_TOKENS; turn += 1) await other.client.createToken();
  expect(count).toBe(OTHER_TOKENS);
}

describe('no form of a secret or token comes back from a service that echoes it, after 80 other tokens, in', () => {
  it.each(Object.entries(ECHOES))('%s', async (_name, respond) => {
    // The first answer makes the client ask for a token.
    const seen = await listSeen(['', ...ALL_FORMS.map(({ text }) => text)], respond);
    const left = ALL_FORMS.flatMap(({ name }, index) => {
      const text = seen[index + 1] ?? name;
      return [...findCanaries(text), ...findCanaries(tryParse(text))].map((found) => ({ sent: name, found }));
    });
    expect(seen).toHaveLength(ALL_FORMS.length + 1);
    expect(seen.filter((text) => text.includes('circuit-open'))).toEqual([]);
    expect(left).toEqual([]);
  });

  it('JSON with escapes of its own', async () => {
    const texts = ALL_FORMS.map(({ text }) => text).filter(isJsonText);
    const seen = await listSeen(['', ...texts], (text, response) =>
      endRaw(200, 'application/json')(
        `{"isValid":true,"n":12345678901234567890,"documents":[{"Id":"${text}","Payload":"a \\u00e9"}]}`,
        response,
      ),
    );
    for (const text of seen) {
      expect(findCanaries(tryParse(text))).toEqual([]);
      expect(text).toContain('12345678901234567890');
      expect(JSON.parse(text)).toMatchObject({ documents: [{ Payload: 'a é' }] });
    }
  });
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

  it('of status 500 holds no form of the secrets that were sent', async () => {
    let text = '';
    const server = await startServer((_request, response) => {
      response.writeHead(500);
      response.end(`Failed on {"accessToken":"${text}"}`);
    });
    const clock = createSkipClock();
    const { client } = createTestClient(server.address, { secrets, clock });
    for (const form of ALL_FORMS) {
      ({ text } = form);
      clock.jump(60_000);
      const error: unknown = await client.createToken().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'client.server-error' });
      // The token is not known before there is one.
      const left = findCanaries(JSON.stringify(error)).filter((name) => !name.startsWith('token,'));
      expect({ form: form.name, left }).toEqual({ form: form.name, left: [] });
    }
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
