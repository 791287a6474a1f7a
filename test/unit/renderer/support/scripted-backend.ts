import { createPinia, setActivePinia, type Pinia } from 'pinia';
import { createApp } from 'vue';
import type {
  EventName,
  EventPayload,
  Input,
  OperationName,
  Output,
} from '../../../../src-main/common/contract/index.ts';
import { backendKey, type Backend, type HostWatcher } from '../../../../src-renderer/backend/backend.ts';

type Script = { [Name in OperationName]?: (input: Input<Name>) => Output<Name> | Promise<Output<Name>> };

/** A backend that returns what the test says, remembers its calls, and can emit events. */
export class ScriptedBackend implements Backend {
  readonly calls: { readonly name: OperationName; readonly input: unknown }[] = [];
  readonly #script: Script;
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>();

  constructor(script: Script) {
    this.#script = script;
  }

  async call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    this.calls.push({ name, input });
    const run = this.#script[name];
    if (run === undefined) throw new Error(`The test has no script for ${name}.`);
    return await run(input);
  }

  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<Name extends EventName>(name: Name, payload: EventPayload<Name>): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(payload as never);
  }

  #watchers: HostWatcher[] = [];

  watchHost(watcher: HostWatcher): void {
    this.#watchers.push(watcher);
  }

  /** As the carrier does when the host goes, and when it is back. */
  tellHost(isThere: boolean, hasMissed = isThere): void {
    for (const watcher of this.#watchers) watcher(isThere, hasMissed);
  }

  countCalls(name: OperationName): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  countListeners(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }
}

/** Makes the stores work outside a component: an application that has the backend, and its Pinia. */
export function installStores(backend: Backend): Pinia {
  const pinia = createPinia();
  createApp({}).provide(backendKey, backend).use(pinia);
  setActivePinia(pinia);
  return pinia;
}
