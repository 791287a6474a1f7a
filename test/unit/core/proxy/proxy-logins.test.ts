import { beforeEach, describe, expect, it } from 'vitest';
import type { ProxyChallenge } from '../../../../src-main/common/contract/operations/app.ts';
import { createProxyLogins, type ProxyLoginStore } from '../../../../src-main/core/proxy/proxy.ts';
import {
  createInMemorySecretStore,
  type SecretStore,
} from '../../../../src-main/core/secrets/secret-store.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const proxy = 'proxy.example:8080';
const realm = 'office';
const ASKED = { proxy, realm, wasRefused: false };
const right = { proxy, userName: 'anna', password: 'correct horse' };
let secrets: SecretStore;
let announced: (ProxyChallenge | null)[];
let noted: string[];
let logins: ProxyLoginStore;

function open(): ProxyLoginStore {
  return createProxyLogins({
    secrets,
    emit: (...event) => {
      if (event[0] === 'app/proxy-challenge-changed') announced.push(event[1]);
    },
    logger: createSilentLogger(),
    noteSecret: (secret) => void noted.push(secret),
  });
}

beforeEach(() => {
  secrets = createInMemorySecretStore();
  announced = [];
  noted = [];
  logins = open();
});

const ask = (attempt = 1) => logins.find({ proxy, realm, attempt });

describe('the logins of proxies', () => {
  it('ask the person once, however many requests wait', async () => {
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([null, null, null]);
    expect(announced).toEqual([ASKED]);
    expect(logins.readChallenge()).toEqual(ASKED);
  });

  it('are no longer asked for where services are reached another way, and are asked for again on this one', async () => {
    await ask();
    logins.dropChallenge();
    expect(logins.readChallenge()).toBeNull();
    await ask();
    expect(announced).toEqual([ASKED, null, ASKED]);
  });

  it('are kept with the secrets, found by the next start, and known to whatever writes logs', async () => {
    await ask();
    await logins.signIn(right);
    expect(await ask()).toEqual({ userName: 'anna', password: 'correct horse' });
    logins.note(proxy, 'accepted');
    expect(logins.readChallenge()).toBeNull();
    expect(announced.at(-1)).toBeNull();
    expect(noted).toEqual(['correct horse']);
    logins = open();
    expect(await ask()).toEqual({ userName: 'anna', password: 'correct horse' });
    expect(noted).toEqual(['correct horse', 'correct horse']);
  });

  it('that nobody accepted yet are tried by one request at a time', async () => {
    await logins.signIn(right);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([
      { userName: 'anna', password: 'correct horse' },
      null,
      null,
    ]);
    // The request ended without an answer of the proxy: another may try.
    logins.note(proxy, 'unknown');
    expect(await ask()).not.toBeNull();
    logins.note(proxy, 'accepted');
    expect(await Promise.all([ask(), ask()])).toEqual([
      { userName: 'anna', password: 'correct horse' },
      { userName: 'anna', password: 'correct horse' },
    ]);
  });

  it('that were refused are forgotten, and the person is told', async () => {
    await logins.signIn(right);
    await ask();
    expect(await ask(2)).toBeNull();
    expect(logins.readChallenge()).toEqual({ proxy, realm, wasRefused: true });
    // Nothing is sent a third time, also not by the next start.
    expect(await ask()).toBeNull();
    expect(logins.readChallenge()?.wasRefused).toBe(true);
    logins = open();
    expect(await ask()).toBeNull();
  });

  it('that follow a refused one are not said to be refused before they are tried, and are when they are', async () => {
    await logins.signIn(right);
    await ask();
    await ask(2);
    await logins.signIn({ ...right, password: 'another' });
    expect(announced.at(-1)).toBeNull();
    await ask();
    await ask(2);
    expect(announced.at(-1)).toEqual({ proxy, realm, wasRefused: true });
  });

  it('whose password was changed meanwhile are asked for again', async () => {
    await logins.signIn(right);
    await ask();
    logins.note(proxy, 'accepted');
    await ask();
    expect(await ask(2)).toBeNull();
    expect(logins.readChallenge()?.wasRefused).toBe(true);
  });

  it('serve this session where the keychain does not take them', async () => {
    secrets = { ...secrets, set: () => Promise.reject(new Error('locked')) };
    logins = open();
    await expect(logins.signIn(right)).rejects.toThrow('locked');
    expect(await ask()).not.toBeNull();
  });
});
