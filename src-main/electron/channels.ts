import type { EventName, OperationName } from '../common/contract/index.ts';

/** The IPC channel of an operation. */
export function toOperationChannel(name: OperationName): string {
  return `operation:${name}`;
}

/** The IPC channel of an event. */
export function toEventChannel(name: EventName): string {
  return `event:${name}`;
}

/** Carries the path of a file that a person dropped on the window, from the preload only. */
export const OFFER_CHANNEL = 'channelscope:offer-file';
