import { shallowRef, type InjectionKey, type ShallowRef } from 'vue';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import {
  MAX_FAULT_PLACES,
  type WindowFault,
} from '../../../src-main/common/contract/operations/data-folder.ts';
import type { Backend } from '../../backend/backend.ts';

/** One that comes back with each record must not fill the log. */
const MAX_NOTED = 50;
const NAME = /^[A-Za-z]{1,60}$/u;
/** File, line and column, as Chromium writes them. */
const PLACE = /([\w.-]{1,80}:\d{1,7}:\d{1,7})\)?$/u;

interface Faults {
  /** One that the person has not been told of yet. */
  readonly isNew: ShallowRef<boolean>;
  /** Takes an error that nobody caught. Each place is logged, and said, once. */
  note(error: unknown): void;
}

export const faultsKey: InjectionKey<Faults> = Symbol('faults');

/** What has a code was said where it happened; what was cancelled is no fault. */
function isExpected(error: unknown): boolean {
  return error instanceof AppError || (error instanceof DOMException && error.name === 'AbortError');
}

/** What an error was and where, without its message, which may repeat what a record says. */
function toFault(error: Error): WindowFault {
  const places = (error.stack ?? '').split('\n').flatMap((line) => PLACE.exec(line.trim())?.[1] ?? []);
  return { name: NAME.test(error.name) ? error.name : 'Error', places: places.slice(0, MAX_FAULT_PLACES) };
}

/** Watches for what nobody catches in the window's own code. */
export function watchFaults(page: Pick<Window, 'addEventListener'>, backend: Pick<Backend, 'call'>): Faults {
  const noted = new Set<string>();
  const isNew = shallowRef(false);

  function note(error: unknown): void {
    if (!(error instanceof Error) || isExpected(error)) return;
    const fault = toFault(error);
    const key = `${fault.name} ${fault.places[0] ?? ''}`;
    if (noted.has(key) || noted.size >= MAX_NOTED) return;
    noted.add(key);
    isNew.value = true;
    // Nothing can be logged where the host is gone.
    backend.call('diagnostics/note-fault', fault).catch(() => undefined);
  }

  page.addEventListener('error', ({ error }) => note(error));
  page.addEventListener('unhandledrejection', ({ reason }) => note(reason));
  return { isNew, note };
}
