/** What a gate holds: nothing yet, the file is open, or it could not be opened. */
const [CLOSED, OPEN, GIVEN_UP] = [0, 1, 2] as const;

/** Readers load their code while the writer opens the file, and wait here until it has. */
export interface FileGate {
  readonly shared: SharedArrayBuffer;
  /** Lets the readers open the file, or tells them that there is none to open. */
  settle(isFileOpen: boolean): void;
}

/** Creates a gate that is closed, for the threads of one opening of the file. */
export function createFileGate(): FileGate {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const state = new Int32Array(shared);
  return {
    shared,
    settle(isFileOpen) {
      Atomics.store(state, 0, isFileOpen ? OPEN : GIVEN_UP);
      Atomics.notify(state, 0);
    },
  };
}

/** Holds this thread until the file is open. Throws an Error where the writer could not open it. */
export function waitForFile(shared: SharedArrayBuffer): void {
  const state = new Int32Array(shared);
  Atomics.wait(state, 0, CLOSED);
  if (Atomics.load(state, 0) === GIVEN_UP) throw new Error('The file could not be opened for writing.');
}
