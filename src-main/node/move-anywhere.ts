import { findErrorCode } from './error-text.ts';
import { copyPatiently, movePatiently, removePatiently } from './move-and-remove.ts';

/** Moves a file over one that is there, to another disk too; there it appears piece by piece. Throws as `movePatiently`. */
export async function moveAnywhere(from: string, to: string): Promise<void> {
  try {
    await movePatiently(from, to);
  } catch (error) {
    if (findErrorCode(error) !== 'EXDEV') throw error;
    await copyPatiently(from, to);
    await removePatiently(from);
  }
}
