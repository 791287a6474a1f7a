/**
 * Returns the file that a person started, where it is not the program that runs: an AppImage and the portable program of
 * Windows unpack that one to a place that is gone once it ends. Null for what is installed.
 */
export function findStartedFile(environment: NodeJS.ProcessEnv = process.env): string | null {
  const names = ['APPIMAGE', 'PORTABLE_EXECUTABLE_FILE'];
  return names.map((name) => environment[name] ?? '').find((file) => file !== '') ?? null;
}
