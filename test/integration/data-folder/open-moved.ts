import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import { locateDataFolder } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import type { Host } from '../../../src-main/core/host.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';

export interface OpenedCore {
  readonly core: Core;
  readonly folder: string;
  /** How often the core asked to be started again. */
  readonly countStarts: () => number;
  /** The answer's value; throws an Error with the code of a failure. */
  ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
}

/** Starts a core as a host does: in the folder that was chosen, or the standard one. */
export async function openMoved(
  defaultFolder: string,
  given: string | null = null,
  change: Partial<Host> = {},
): Promise<OpenedCore> {
  const location = locateDataFolder(defaultFolder, given);
  let starts = 0;
  const { host, remove } = await createTestHost({
    location,
    dataFolder: location.folder,
    startAgain: () => {
      starts += 1;
      return true;
    },
    ...change,
  });
  await remove();
  const store = createInMemorySecretStore();
  const core = await createCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) });
  return {
    core,
    folder: location.folder,
    countStarts: () => starts,
    async ask(name, input) {
      const answer = await core.call(name, input);
      if (!answer.ok) throw new Error(answer.error.code);
      return answer.value as Output<typeof name>;
    },
  };
}
