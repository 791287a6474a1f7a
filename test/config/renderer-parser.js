import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

const CONFIG = fileURLToPath(new URL('../../src-renderer/tsconfig.json', import.meta.url));
const VUE_FILES = { extension: '.vue', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred };
const SCRIPT = /^<script[^>]*>([\s\S]*?)<\/script>/m;

/** A compiler host for which a Vue file is its script. What it read it keeps until `replace` gives it another text. */
function createHost(options) {
  const host = ts.createCompilerHost(options, true);
  const files = new Map();
  const replace = (fileName, text, languageVersion) => {
    const kind = fileName.endsWith('.vue') ? ts.ScriptKind.TS : undefined;
    const file = ts.createSourceFile(fileName, text, languageVersion, true, kind);
    files.set(fileName, file);
    return file;
  };
  const getSourceFile = (fileName, languageVersion) => {
    if (files.has(fileName)) return files.get(fileName);
    const text = host.readFile(fileName);
    if (text === undefined) return undefined;
    const script = fileName.endsWith('.vue') ? (SCRIPT.exec(text)?.[1] ?? '') : text;
    return replace(fileName, script, languageVersion);
  };
  return { ...host, getSourceFile, replace };
}

function readProject() {
  const onUnRecoverableConfigFileDiagnostic = ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
  const { fileNames: rootNames, options } = ts.getParsedCommandLineOfConfigFile(
    CONFIG,
    { allowNonTsExtensions: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
    undefined,
    undefined,
    [VUE_FILES],
  );
  return { rootNames, options };
}

/** Returns a function that gives the program of the window in which a file has a text. */
function openWindow() {
  let project = readProject();
  const host = createHost(project.options);
  let program = ts.createProgram({ ...project, host });
  return (filePath, code) => {
    const file = program.getSourceFile(filePath);
    if (file?.text === code) return program;
    if (file === undefined) project = readProject();
    else host.replace(file.fileName, code, file.languageVersion);
    program = ts.createProgram({ ...project, host, oldProgram: program });
    return program;
  };
}

let findProgram;

/**
 * Parses the window's scripts with their types. typescript-eslint would make a program anew for each Vue file, whose
 * script is not what the disk holds, and with each work out all types again, which takes minutes. This program has the
 * scripts from the start. It is made anew only where one differs: with `generic`, whose types are written out before
 * the script, and while files are edited or added.
 */
export const rendererParser = {
  meta: { name: 'renderer-parser' },
  parseForESLint(code, { project, ...options }) {
    // Expressions in templates are parsed one by one, and without types.
    if (project === undefined) return tseslint.parser.parseForESLint(code, options);
    findProgram ??= openWindow();
    const programs = [findProgram(options.filePath, code)];
    return tseslint.parser.parseForESLint(code, { ...options, programs });
  },
};
