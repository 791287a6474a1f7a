import { beforeEach, describe, expect, it } from 'vitest';
import { EVENTS, OPERATIONS } from '../../src-main/common/contract/index.ts';
import { isTrustedSender, sendEvents, serveOffers, serveOperations } from '../../src-main/electron/ipc.ts';
import {
  callHandler,
  FakeWebContents,
  ipcHandlers,
  resetFakeElectron,
} from '../support/electron/fake-electron.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

beforeEach(resetFakeElectron);

const ours = new FakeWebContents();
const trusted = new Map([[ours.id, ours]]) as never;
const frame = {
  url: 'app://channelscope/index.html#/overview',
  parent: null as unknown,
  detached: false,
  isDestroyed: () => false,
};
const good = { sender: { id: ours.id }, senderFrame: frame };

const STRANGERS: Record<string, unknown> = {
  'no frame': { ...good, senderFrame: null },
  'a destroyed frame': { ...good, senderFrame: { ...frame, isDestroyed: () => true } },
  'a detached frame': { ...good, senderFrame: { ...frame, detached: true } },
  'a frame within': { ...good, senderFrame: { ...frame, parent: frame } },
  'another scheme': { ...good, senderFrame: { ...frame, url: 'https://channelscope/index.html' } },
  'another host': { ...good, senderFrame: { ...frame, url: 'app://evil/index.html' } },
  'a host with a suffix': { ...good, senderFrame: { ...frame, url: 'app://channelscope.evil/index.html' } },
  'user info': { ...good, senderFrame: { ...frame, url: 'app://channelscope@evil/index.html' } },
  'a host in capitals': { ...good, senderFrame: { ...frame, url: 'app://CHANNELSCOPE/index.html' } },
  'a blank page': { ...good, senderFrame: { ...frame, url: 'about:blank' } },
  'the developer tools': { ...good, senderFrame: { ...frame, url: 'devtools://devtools/bundled/x.html' } },
  'an unknown window': { ...good, sender: { id: ours.id + 1000 } },
  'a frame that throws': {
    ...good,
    get senderFrame() {
      throw new Error('gone');
    },
  },
};

describe('E-17: senders', () => {
  it('are trusted as the main frame of our window with our page', () => {
    expect(isTrustedSender(good as never, trusted)).toBe(true);
  });

  it.each(Object.entries(STRANGERS))('are refused on every channel: %s', (_form, event) => {
    const core = createStubCore();
    const offered: unknown[] = [];
    serveOperations(core.callFromWindow, trusted);
    serveOffers({ offer: (path) => String(offered.push(path)) }, trusted);
    expect(isTrustedSender(event as never, trusted)).toBe(false);
    for (const handler of ipcHandlers.values()) {
      expect(() => handler(event as never, null)).toThrow(/^Refused\.$/u);
    }
    expect([...core.asked, ...offered]).toEqual([]);
  });
});

describe('operations', () => {
  it('have one channel each', () => {
    serveOperations(createStubCore().callFromWindow, trusted);
    expect([...ipcHandlers.keys()].toSorted()).toEqual(
      Object.keys(OPERATIONS)
        .map((name) => `operation:${name}`)
        .toSorted(),
    );
  });

  it('return the envelope', async () => {
    serveOperations(createStubCore({ 'tasks/list': () => [] }).callFromWindow, trusted);
    const ask = (event: unknown, input: unknown) => callHandler('operation:tasks/list', event, input);
    expect(await ask(good, null)).toEqual({ ok: true, value: [] });
    expect(await ask(good, { extra: 1 })).toMatchObject({ ok: false, error: { code: 'app.invalid-input' } });
  });

  it.each([undefined, () => 1, 'x'.repeat(1024 * 1024)])(
    'I-02: refuse what is not JSON or too large',
    async (input) => {
      const core = createStubCore();
      serveOperations(core.callFromWindow, trusted);
      const answer = await ipcHandlers.get('operation:tasks/list')!(good as never, input);
      // In these words only here: the core would refuse it too, once it has read all of it.
      const message = 'The input is not JSON, or too large.';
      expect(answer).toMatchObject({ ok: false, error: { code: 'app.invalid-input', message } });
      expect(core.asked).toEqual([]);
    },
  );
});

describe('events', () => {
  it('reach the windows that are open, until they are stopped', () => {
    const core = createStubCore();
    const gone = new FakeWebContents();
    gone.destroyed = true; // Whoever sends to it gets an error, as from Electron.
    const stop = sendEvents(core, new Map([ours, gone].map((one) => [one.id, one])) as never);
    const name = Object.keys(EVENTS)[0] as keyof typeof EVENTS;
    core.send(name, { a: 1 });
    stop();
    core.send(name, { a: 2 });
    expect(ours.sent).toEqual([{ channel: `event:${name}`, payload: { a: 1 } }]);
    expect(gone.sent).toEqual([]);
  });
});
