/** Resolves once everything that was written to both streams is sent, or can't be any more. */
export async function flushOutput({
  stdout,
  stderr,
}: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Promise<void> {
  await Promise.all(
    [stdout, stderr].map(
      (stream) =>
        new Promise((resolve) => {
          if (stream.destroyed || !stream.writable) resolve(undefined);
          else stream.write('', resolve);
        }),
    ),
  );
}
