import { vi } from 'vitest';

/** Gives every canvas a context that draws nothing, so that Chart.js builds its charts without a browser. */
export function installFakeCanvas(): void {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(function (this: HTMLCanvasElement) {
    const settings: Record<PropertyKey, unknown> = {
      canvas: this,
      measureText: () => ({ width: 10 }),
      fillText: () => undefined,
      fillRect: () => undefined,
    };
    return new Proxy(settings, {
      get: (target, name) => (name in target ? target[name] : () => undefined),
      set: (target, name, value) => Reflect.set(target, name, value),
    }) as never;
  });
}
