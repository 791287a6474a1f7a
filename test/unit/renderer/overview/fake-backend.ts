import { createPinia, setActivePinia, type Pinia } from 'pinia';
import { createApp, type App } from 'vue';
import type {
  EventName,
  EventPayload,
  Input,
  OperationName,
  Output,
} from '../../../../src-main/common/contract/index.ts';
import { backendKey, type Backend } from '../../../../src-renderer/backend/backend.ts';

type Answers = { [Name in OperationName]?: (input: Input<Name>) => Output<Name> | Promise<Output<Name>> };

/** A backend that answers from functions, remembers what it was asked, and can send events. */
export class FakeBackend implements Backend {
  readonly asked: { name: OperationName; input: unknown }[] = [];
  private readonly listeners = new Map<string, Set<(payload: never) => void>>();
  private readonly answers: Answers;

  constructor(answers: Answers) {
    this.answers = answers;
  }

  async call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    this.asked.push({ name, input });
    const answer = this.answers[name];
    if (answer === undefined) throw new Error(`Nothing is prepared for ${name}.`);
    return Promise.resolve(answer(input));
  }

  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  send<Name extends EventName>(name: Name, payload: EventPayload<Name>): void {
    for (const listener of this.listeners.get(name) ?? []) listener(payload as never);
  }

  countListeners(): number {
    return [...this.listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  countAsked(name: OperationName): number {
    return this.asked.filter((call) => call.name === name).length;
  }
}

/** Makes the stores work outside a component: an application that has the backend, and its Pinia. */
export function provideBackend(backend: Backend): { app: App; pinia: Pinia } {
  const pinia = createPinia();
  const app = createApp({}).provide(backendKey, backend).use(pinia);
  setActivePinia(pinia);
  return { app, pinia };
}
