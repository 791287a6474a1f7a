import { createRequire } from 'node:module';
import { join, sep } from 'node:path';

const MAIN = join(sep, 'out', 'main');

/**
 * Returns the folder of the native modules that belong to a built file. The system can't load them from within an
 * archive: there they lie beside it.
 */
export function findNativeFolder(builtFolder: string, platform: string, arch: string): string {
  const at = builtFolder.lastIndexOf(MAIN);
  if (at < 0) throw new Error('A native module is looked for from outside the built application.');
  const root = builtFolder.slice(0, at).replace(/app\.asar$/u, 'app.asar.unpacked');
  return join(root, 'out', 'native', `${platform}-${arch}`);
}

/** Loads a native module of the built application, and from no other place. */
export function loadNativeModule(name: string): unknown {
  const folder = findNativeFolder(import.meta.dirname, process.platform, process.arch);
  return createRequire(import.meta.url)(join(folder, `${name}.node`));
}
