import type { OperationName } from '../../src-main/common/contract/index.ts';
import type { Backend } from './backend.ts';

/** What the first picture of a window can't do without. */
const FIRST: ReadonlySet<OperationName> = new Set<OperationName>([
  'app/get-info',
  'settings/get',
  'connections/list',
  'status/read-history',
]);
/** A window that nobody sees paints nothing. */
const MAX_HELD_MS = 1_000;

/** A carrier that makes its other calls once the first picture is there: what answers them would take its time from it. */
export function holdCalls(carrier: Backend): { readonly backend: Backend; readonly release: () => void } {
  let isHeld = true;
  const { promise: released, resolve } = Promise.withResolvers<undefined>();
  const release = (): void => {
    isHeld = false;
    resolve(undefined);
  };
  setTimeout(release, MAX_HELD_MS);
  const call: Backend['call'] = async (name, input) => {
    if (isHeld && !FIRST.has(name)) await released;
    return carrier.call(name, input);
  };
  return { backend: { ...carrier, call }, release };
}
