/** What a command takes from the process that runs it. */
export interface CommandSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error. */
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly reportError: (error: unknown) => void;
}
