/** What an image is made of and how it runs, from its Containerfile. */
export interface ImageDescription {
  /** Images that its stages begin with. */
  readonly bases: readonly string[];
  /** What is copied from the repository. */
  readonly sources: readonly string[];
  /** Commands of the stage that builds. */
  readonly commands: readonly string[];
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** Reads a file of two stages with one instruction a line. */
export function readContainerfile(text: string): ImageDescription {
  const read = (instruction: string): string[] =>
    [...text.matchAll(new RegExp(`^${instruction} (.+)$`, 'gmu'))].map(([, rest = '']) => rest);
  const readList = (instruction: string): string[] =>
    JSON.parse(read(instruction).at(-1) ?? '[]') as string[];
  return {
    bases: read('FROM').map((rest) => rest.split(' ')[0] ?? ''),
    sources: read('COPY')
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1)),
    commands: read('RUN'),
    user: read('USER').at(-1) ?? 'root',
    entrypoint: readList('ENTRYPOINT'),
    command: readList('CMD'),
  };
}
