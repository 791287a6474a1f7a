/** Shorter lists are kept plainly: runs pay only where there is something to save. */
const MIN_RUN_ROWS = 4096;

/** An ordered list of record ids that grows at its end. */
export interface RecordList {
  readonly rowCount: number;
  append(ids: Float64Array): void;
  /** Appends ids that follow one another: rising from the first, or (step -1) falling. */
  appendRun(firstId: number, count: number, step: 1 | -1): void;
  /** Ids at the places [start, end); fewer at the end of the list. */
  slice(start: number, end: number): Float64Array;
  /** Bytes held. */
  readonly sizeBytes: number;
}

/**
 * A list that keeps ids which follow one another, rising or falling, as runs: a whole snapshot in the order received, or
 * newest first, is one run, whatever its length. Where runs are short the ids are kept plainly, eight bytes each.
 */
export function createRecordList(): RecordList {
  let rowCount = 0;
  let runCount = 0;
  /** First id of each run, the place where it begins, and 1 or -1, the way it goes. */
  let firstIds = new Float64Array(64);
  let places = new Float64Array(64);
  let steps = new Float64Array(64);
  let lastId = -1;
  let lastLength = 0;
  /** Ids one by one; null while runs are kept. */
  let plain: Float64Array<ArrayBuffer> | null = null;

  const findRun = (place: number): number => {
    let low = 0;
    let high = runCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((places[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const readRuns = (start: number, end: number): Float64Array<ArrayBuffer> => {
    const ids = new Float64Array(Math.max(0, end - start));
    let run = findRun(start);
    for (let index = 0; index < ids.length; index += 1) {
      const place = start + index;
      if (run + 1 < runCount && (places[run + 1] ?? 0) <= place) run += 1;
      ids[index] = (firstIds[run] ?? 0) + (place - (places[run] ?? 0)) * (steps[run] ?? 1);
    }
    return ids;
  };
  const addRun = (id: number): void => {
    if (runCount === firstIds.length) {
      firstIds = grow(firstIds, runCount + 1);
      places = grow(places, runCount + 1);
      steps = grow(steps, runCount + 1);
    }
    firstIds[runCount] = id;
    places[runCount] = rowCount;
    steps[runCount] = 1;
    runCount += 1;
    lastLength = 0;
  };
  const appendToRuns = (ids: Float64Array): void => {
    for (const id of ids) {
      if (lastLength === 1 && id === lastId - 1) steps[runCount - 1] = -1;
      else if (runCount === 0 || id !== lastId + (steps[runCount - 1] ?? 1)) addRun(id);
      lastId = id;
      lastLength += 1;
      rowCount += 1;
    }
  };

  return {
    get rowCount() {
      return rowCount;
    },
    get sizeBytes() {
      return plain === null ? firstIds.byteLength * 3 : plain.byteLength;
    },
    append(ids) {
      if (plain !== null) {
        if (plain.length < rowCount + ids.length) plain = grow(plain, rowCount + ids.length);
        plain.set(ids, rowCount);
        rowCount += ids.length;
        return;
      }
      appendToRuns(ids);
      if (rowCount < MIN_RUN_ROWS || runCount * 3 < rowCount) return;
      plain = readRuns(0, rowCount);
      firstIds = new Float64Array(0);
      places = firstIds;
      steps = firstIds;
    },
    appendRun(firstId, count, step) {
      if (count === 0) return;
      if (plain !== null) {
        this.append(Float64Array.from({ length: count }, (_none, place) => firstId + place * step));
        return;
      }
      addRun(firstId);
      steps[runCount - 1] = step;
      lastId = firstId + (count - 1) * step;
      lastLength = count;
      rowCount += count;
    },
    slice(start, end) {
      const from = Math.min(Math.max(0, start), rowCount);
      const until = Math.min(Math.max(from, end), rowCount);
      return plain === null ? readRuns(from, until) : plain.slice(from, until);
    },
  };
}

function grow(array: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(Math.max(least, Math.ceil(array.length * 1.5), 64));
  grown.set(array);
  return grown;
}
