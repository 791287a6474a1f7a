import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removePatiently } from '../../../node/move-and-remove.ts';
import { PRIVATE_FILE_MODE } from '../../../node/private-files.ts';
import type { Host } from '../../host.ts';

/** Returns a report as the bytes of a PDF. Throws as the host's `printPdf` does; leaves no file behind. */
export async function printReport(
  { printPdf }: Pick<Host, 'printPdf'>,
  report: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  // Only its owner can read this folder.
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-report-'));
  try {
    const [source, target] = [join(folder, 'report.html'), join(folder, 'report.pdf')];
    await writeFile(source, report, { mode: PRIVATE_FILE_MODE });
    await printPdf(source, target, signal);
    return await readFile(target);
  } finally {
    await removePatiently(folder, { isFolder: true });
  }
}
