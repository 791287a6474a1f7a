class MissedDeadlineError extends Error {
  override readonly name = 'MissedDeadlineError';
}

/** How long a request waits for what it needs of the store. */
export interface Deadline {
  /** Rejects when the work has not ended in time; what it still brings is dropped. */
  meet<Result>(work: Promise<Result>): Promise<Result>;
  /** True for the error that it rejects with. */
  isMissed(error: unknown): boolean;
}

/** Creates a deadline: each work that has to meet it gets `limitMs` milliseconds. */
export function createDeadline(limitMs: number): Deadline {
  return {
    meet: async (work) => {
      let timer: NodeJS.Timeout | undefined;
      const missed = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          reject(new MissedDeadlineError(`The store did not respond within ${limitMs} ms.`));
        }, limitMs);
      });
      try {
        return await Promise.race([work, missed]);
      } finally {
        clearTimeout(timer);
      }
    },
    isMissed: (error) => error instanceof MissedDeadlineError,
  };
}
