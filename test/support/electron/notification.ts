import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { emitNative, FakeEvent, record, requireReady } from './state.ts';

type Options = Electron.NotificationConstructorOptions;

export class Notification extends EventEmitter {
  static readonly shown: Notification[] = [];
  static supported = true;
  /** Why the system shows none, which it says after it took one; null while it shows them. */
  static refusal: string | null = null;
  static isSupported(): boolean {
    return Notification.supported;
  }
  readonly #options: Options;
  constructor(options: Options = {}) {
    super();
    requireReady('Cannot create Notification');
    this.#options = options;
  }
  show(): void {
    record('Notification.show', this.#options);
    const { refusal } = Notification;
    if (refusal === null) {
      Notification.shown.push(this);
      setImmediate(() => emitNative(this, 'show', new FakeEvent()));
    } else setImmediate(() => emitNative(this, 'failed', new FakeEvent(), refusal));
  }
  close(): void {
    record('Notification.close');
  }
  /** As a person clicks it. */
  click(): void {
    emitNative(this, 'click', new FakeEvent());
  }
}
Notification.prototype satisfies Pick<Electron.Notification, 'show' | 'close'>;
