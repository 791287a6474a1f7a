import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The SHA-256 of a file. */
export async function sumFile(path: string): Promise<string> {
  return hash('sha256', await readFile(path));
}
