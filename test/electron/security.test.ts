import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findLicencePage, isKnownPlace } from '../../src-main/common/links.ts';
import { createPlaceOpener, guardNetwork } from '../../src-main/electron/security/guards.ts';
import { explainRefusedSwitch, REFUSED_SWITCHES } from '../../src-main/electron/security/refused-switches.ts';
import { runDesktop } from '../../src-main/electron/run-desktop.ts';
import {
  app,
  boxAnswers,
  calls,
  FakeEvent,
  makeReady,
  namesOfCalls,
  resetFakeElectron,
  uncaught,
} from '../support/electron/fake-electron.ts';
import { emitNative } from '../support/electron/state.ts';
import { HOSTILE_URLS } from '../support/samples/hostile-urls.ts';
import { ENGLISH } from '../../src-main/common/words/words.ts';

const MIT = 'https://spdx.org/licenses/MIT.html';
beforeEach(() => {
  resetFakeElectron();
  makeReady();
});

const boxes = (): { message: string; detail: string; buttons: string[] }[] =>
  calls.filter(({ name }) => name === 'dialog.showMessageBox').map(({ args }) => args.at(-1) as never);
const opened = (): unknown[] =>
  calls.filter(({ name }) => name === 'shell.openExternal').map(({ args }) => args[0]);

describe('E-15: a link to a page of others', () => {
  it('is opened once the person has seen its address', async () => {
    boxAnswers.push(0);
    await createPlaceOpener(
      () => null,
      () => ENGLISH,
    )(MIT);
    expect(boxes()[0]!.detail).toBe(MIT);
    expect(opened()).toEqual([MIT]);
  });

  it('is not opened where the person cancels', async () => {
    boxAnswers.push(1);
    await createPlaceOpener(
      () => null,
      () => ENGLISH,
    )(MIT);
    expect(opened()).toEqual([]);
  });

  it('is asked about once, however often a page sends it', async () => {
    const open = createPlaceOpener(
      () => null,
      () => ENGLISH,
    );
    void open(MIT);
    await open(MIT);
    expect(boxes()).toHaveLength(1);
  });

  it.each([
    ...HOSTILE_URLS,
    'https://evil.example/',
    'https://spdx.org/',
    'https://spdx.org/licenses',
    'https://spdx.org.evil.example/licenses/MIT.html',
    'https://evil.example/https://spdx.org/licenses/',
    'https://spdx.org/licenses/../../login',
    'https://spdx.org/licenses/..%2f..%2flogin',
    'https://spdx.org/licenses/MIT.html?next=//evil.example',
    'https://spdx.org/licenses/\\evil.example',
    'https://spdx.org/licenses//evil.example',
    'http://spdx.org/licenses/MIT.html',
    'HTTPS://SPDX.ORG/licenses/MIT.html',
    'https://user@spdx.org/licenses/MIT.html',
    'https://spdx.org:444/licenses/MIT.html',
    `https://spdx.org/licenses/${'x'.repeat(3000)}`,
    null,
    {},
    ['https://spdx.org/licenses/MIT.html'],
  ])('to %j is passed over', async (address) => {
    boxAnswers.push(0);
    expect(isKnownPlace(address)).toBe(false);
    await createPlaceOpener(
      () => null,
      () => ENGLISH,
    )(address);
    expect(namesOfCalls()).not.toContain('dialog.showMessageBox');
    expect(opened()).toEqual([]);
  });

  it('about a licence leads to the page of that licence, and of no expression', () => {
    expect(findLicencePage('Apache-2.0')).toBe('https://spdx.org/licenses/Apache-2.0.html');
    expect(findLicencePage('(MIT OR ISC)')).toBeNull();
    expect(findLicencePage('../../login')).toBeNull();
  });
});

describe('a switch that takes a guard away', () => {
  it.each(REFUSED_SWITCHES)(
    '%s ends the application with words, before it touches anything',
    async (name) => {
      resetFakeElectron();
      app.switches.add(name);
      const told: string[] = [];
      const running = runDesktop({
        platform: 'linux',
        report: { tell: (said: string) => told.push(said) },
      } as never);
      makeReady();
      await running;
      // Before it is ready, Linux shows no dialog: who started it by a double click would see nothing at all.
      const box = calls.find((call) => call.name === 'dialog.showErrorBox');
      expect(box?.args[1]).toContain(`--${name}`);
      expect(namesOfCalls()).toEqual([
        'app.whenReady',
        '(ready)',
        'dialog.showErrorBox',
        'app.exit',
        '(ended)',
      ]);
      expect(told).toEqual(['explained']);
    },
  );

  it('is explained with what helps instead of it', () => {
    expect(explainRefusedSwitch((name) => name === 'no-sandbox')).toContain('unprivileged_userns');
    expect(explainRefusedSwitch(() => false)).toBeNull();
  });
});

describe('what a service may learn of the person', () => {
  const certificate = { subjectName: 'Ana Lima', issuerName: 'Company CA', validExpiry: 1_900_000_000 };
  const logger = { info: vi.fn(), warn: vi.fn() };

  function ask(
    certificates: unknown[],
    answer: (given: unknown) => void,
    { place = 'reports.company.example:443', readWords = () => ENGLISH } = {},
  ): FakeEvent {
    guardNetwork({ logger, findWindow: () => null, readWords });
    const event = new FakeEvent();
    // Electron names the service as `host:port`, which is no address.
    emitNative(app, 'select-client-certificate', event, null, place, certificates, answer);
    return event;
  }

  it.each(['10.0.0.5:8443', 'localhost:8443', '[::1]:8443', 'reports.company.example:443'])(
    'is asked about for %s, which is named as it came',
    async (place) => {
      boxAnswers.push(1);
      const given = vi.fn();
      ask([certificate], given, { place });
      await vi.waitFor(() => expect(given).toHaveBeenCalledWith(certificate));
      expect(boxes()[0]!.message).toContain(place);
      expect(uncaught).toEqual([]);
    },
  );

  it('is answered with none where the person can not be asked', async () => {
    const given = vi.fn();
    const readWords = (): never => {
      throw new Error('no words');
    };
    ask([certificate], given, { readWords });
    await vi.waitFor(() => expect(given).toHaveBeenCalledWith());
    expect(uncaught).toEqual([]);
  });

  it('is no certificate that the person did not choose: the first one least of all', async () => {
    boxAnswers.push(0);
    const given = vi.fn();
    const event = ask([certificate], given);
    await vi.waitFor(() => expect(given).toHaveBeenCalledWith(undefined));
    expect(event.defaultPrevented).toBe(true);
    expect(boxes()[0]!.message).toContain('reports.company.example');
    expect(boxes()[0]!.buttons).toEqual(['Present none', 'Ana Lima, from Company CA, until 2030-03-17']);
  });

  it('is the certificate that the person chose', async () => {
    boxAnswers.push(2);
    const given = vi.fn();
    const second = { ...certificate, subjectName: 'Ana Lima, signing' };
    ask([certificate, second], given);
    await vi.waitFor(() => expect(given).toHaveBeenCalledWith(second));
  });

  it('is no login for a page, and no certificate is accepted that does not hold', () => {
    guardNetwork({ logger, findWindow: () => null, readWords: () => ENGLISH });
    const answers: unknown[] = [];
    const login = new FakeEvent();
    app.emit('login', login, null, { url: 'evil.example:443' }, { isProxy: false }, (...given: unknown[]) =>
      answers.push(given),
    );
    const bad = new FakeEvent();
    app.emit(
      'certificate-error',
      bad,
      null,
      'https://evil.example/',
      'net::ERR',
      certificate,
      (ok: boolean) => answers.push(ok),
    );
    expect([login.defaultPrevented, bad.defaultPrevented]).toEqual([true, true]);
    expect(answers).toEqual([[], false]);
  });
});
