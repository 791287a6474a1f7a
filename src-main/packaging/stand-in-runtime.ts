import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** The fuses as Electron ships them: version 1, then one character for each of nine. */
const SHIPPED_FUSES = '\u0001\u0009101100011';

/** An archive of Electron without files: the sizes of its header, and the header. */
function buildEmptyArchive(): Uint8Array {
  const header = Buffer.from('{"files":{}}');
  const sizes = Buffer.alloc(16);
  for (const [place, value] of [4, header.length + 8, header.length + 4, header.length].entries()) {
    sizes.writeUInt32LE(value, place * 4);
  }
  return Buffer.concat([sizes, header]);
}

/** Writes what stands for Electron's runtime for Linux: its files by name, its fuses, and nothing that runs. */
export async function writeStandInRuntime(folder: string, version: string): Promise<void> {
  const files: Record<string, string | Uint8Array> = {
    electron: Buffer.from(`\u007FELF stand-in ${SENTINEL}${SHIPPED_FUSES} end`, 'latin1'),
    version,
    'chrome-sandbox': '',
    chrome_crashpad_handler: '',
    LICENSE: '',
    'LICENSES.chromium.html': '',
    'locales/en-US.pak': '',
    // Electron's own application, an archive without files, which is no part of a package.
    'resources/default_app.asar': buildEmptyArchive(),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: 0o755 });
  }
}
