import type { Plugin } from 'vite';

const IMPORT =
  /^import\s+(?:(?<whole>[\w$]+)\s*,?\s*)?(?:\{(?<names>[^}]*)\}\s*)?from\s*["'](?<module>node:[\w/]+)["'];?$/gmu;

/**
 * Takes Node's own modules as they are, in place of importing them: an import reads each of their exports once, and so
 * loads streams, web cryptography and more that nobody asked for, anew in each process and thread. That takes half of the
 * time that a script needs to load.
 */
export function takeBuiltins(): Plugin {
  return {
    name: 'take-builtins',
    renderChunk: { order: 'post', handler: (code) => ({ code: replaceImports(code), map: null }) },
  };
}

/** Writes imports of Node's own modules as declarations. */
export function replaceImports(code: string): string {
  return code.replace(IMPORT, (...found) => {
    const { whole, names, module } = found.at(-1) as Record<'whole' | 'names' | 'module', string | undefined>;
    const taken = `process.getBuiltinModule(${JSON.stringify(module)})`;
    const inner = names?.replaceAll(/\s+as\s+/g, ': ').trim();
    return [
      ...(whole === undefined ? [] : [`const ${whole} = ${taken};`]),
      ...(inner === undefined ? [] : [`const { ${inner} } = ${taken};`]),
    ].join(' ');
  });
}
