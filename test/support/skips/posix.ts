import { it } from 'vitest';

/** Whether the system has signals that can be handled, modes of files, links without a privilege, and `/bin/sh`. */
export const isPosix = process.platform !== 'win32';

/** A test of one of these: skipped, by name, on Windows. */
export const itOnPosix = it.skipIf(!isPosix);
