import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EVENTS, OPERATIONS, type EventName } from '../../src-main/common/contract/index.ts';
import type * as fakeElectron from '../support/electron/fake-electron.ts';

interface Bridge {
  platform: string;
  operations: Record<string, (input: unknown, ...more: unknown[]) => Promise<unknown>>;
  on(name: string, listener: (...args: unknown[]) => void): () => void;
}

let bridge: Bridge;
beforeEach(async () => {
  vi.resetModules();
  const fake = await import('../support/electron/fake-electron.ts');
  fake.resetFakeElectron();
  await import('../../src-main/electron/preload.ts');
  bridge = fake.exposed.get('channelscope') as Bridge;
  current = fake;
});
let current: typeof fakeElectron;

describe('E-20: preload', () => {
  it('exposes one method for each operation, the events, the platform and offers of files, and nothing else', () => {
    expect([...current.exposed.keys()]).toEqual(['channelscope']);
    expect(Object.keys(bridge).toSorted()).toEqual(['offerFile', 'on', 'operations', 'platform']);
    expect(Object.keys(bridge.operations).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
    expect(typeof bridge.platform).toBe('string');
  });

  it('calls on the channel of the operation only, with one input', async () => {
    for (const [name, ask] of Object.entries(bridge.operations)) {
      current.calls.length = 0;
      await ask({ a: 1 }, 'operation:settings/update').catch(() => undefined);
      expect(current.calls).toEqual([{ name: 'ipcRenderer.invoke', args: [`operation:${name}`, { a: 1 }] }]);
    }
  });

  it('hands on the payload of an event without the event object, until it is stopped', () => {
    for (const name of Object.keys(EVENTS) as EventName[]) {
      const heard: unknown[][] = [];
      const stop = bridge.on(name, (...args) => heard.push(args));
      current.ipcRenderer.emit(`event:${name}`, { sender: 'secret', ports: [] }, { a: 1 });
      stop();
      current.ipcRenderer.emit(`event:${name}`, {}, { a: 2 });
      expect(heard).toEqual([[{ a: 1 }]]);
    }
  });

  it.each(['', 'event:tasks/changed', '__proto__', 'constructor'])('knows no event %j', (name) => {
    expect(() => bridge.on(name, () => undefined)).toThrow('No such event.');
  });
});
