import { buffer } from 'node:stream/consumers';
import { openPromise } from 'yauzl';

/** Reads every file of a ZIP, in its order. */
export async function readZip(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
  try {
    const files = new Map<string, Buffer>();
    for await (const entry of zip.eachEntry()) {
      files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
    }
    return files;
  } finally {
    zip.close();
  }
}
