/** How far an import is, in bytes that are read: how many there will be is found out on the way. */
export interface ByteCount {
  /** So many more will be read; negative for fewer than were expected. */
  expect(bytes: number): void;
  add(bytes: number): void;
  /** Returns what is told how much of so many bytes is done, from 0 to 1. */
  follow(bytes: number): (share: number) => void;
  end(): void;
}

/** Counts for `progress`, which never sees less done than before. */
export function createByteCount(progress: (done: number, total: number) => void): ByteCount {
  let done = 0;
  let total = 0;
  const add = (bytes: number): void => {
    done += bytes;
    progress(Math.min(Math.floor(done), total), total);
  };
  return {
    expect(bytes) {
      total += bytes;
    },
    add,
    follow(bytes) {
      let seen = 0;
      return (share) => {
        const reached = Math.min(1, share) * bytes;
        if (reached <= seen) return;
        add(reached - seen);
        seen = reached;
      };
    },
    end: () => progress(total, total),
  };
}
