import type { Backend } from '../../../../src-renderer/backend/backend.ts';

interface HeldCall {
  readonly name: string;
  readonly input: never;
  answer(value: unknown): Promise<void>;
  refuse(code: string): Promise<void>;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

/** A backend whose calls wait until the test settles them, in any order. */
export class HeldBackend implements Backend {
  readonly calls: HeldCall[] = [];

  call(name: string, input: unknown): Promise<never> {
    return new Promise((resolve, reject) => {
      this.calls.push({
        name,
        input: input as never,
        answer: async (value) => {
          resolve(value as never);
          await settle();
        },
        refuse: async (code) => {
          reject(Object.assign(new Error(code), { code, details: {} }));
          await settle();
        },
      });
    });
  }

  on(): () => void {
    return () => undefined;
  }

  /** Calls of one operation, oldest first. */
  of(name: string): HeldCall[] {
    return this.calls.filter((call) => call.name === name);
  }
}
