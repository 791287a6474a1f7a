import type { ThreadCalls } from '../../../cache/threads/thread-messages.ts';
import type { PackOperations } from './pack-operations.ts';

/** An evidence pack that is written in a thread of its own. */
export type PackThread = ThreadCalls<PackOperations>;
