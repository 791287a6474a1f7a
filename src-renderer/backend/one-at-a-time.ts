/**
 * Returns work, which handles its own errors, that never runs twice at once: whoever asks for it meanwhile has it run once more when it has ended. A
 * question that takes long would otherwise be asked again and again, and in a browser take every connection.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isAskedAgain = false;
  const run = (): Promise<void> => {
    if (running !== null) {
      isAskedAgain = true;
      return running;
    }
    running = work().finally(() => {
      running = null;
      if (!isAskedAgain) return;
      isAskedAgain = false;
      void run();
    });
    return running;
  };
  return run;
}
