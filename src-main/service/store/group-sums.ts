import { createCells, type RollupCells } from './rollup-cells.ts';

/** Sums over one group in a period; `newest*` is the newest request by (date, arrival) (decision 12). */
export interface GroupTotals {
  readonly groupId: number;
  readonly records: number;
  readonly responseTimeUs: number;
  readonly botLatencyMs: number;
  readonly newestMs: number;
  readonly newestArrival: number;
  readonly newestSession: number;
}

const FIRST_CAPACITY = 256;

/**
 * Adds up records and rollups by group. Groups are numbered from 1 without gaps, so a group's number is its
 * place in plain columns; emptied sums are used again.
 */
export class GroupSums {
  #capacity = 0;
  #records = new Float64Array(0);
  #responseTimeUs = new Float64Array(0);
  #botLatencyMs = new Float64Array(0);
  #newestMs = new Float64Array(0);
  #newestArrival = new Float64Array(0);
  #newestSession = new Float64Array(0);
  #groupIds: number[] = [];
  #allRecords = 0;

  /** Number of groups. */
  get groups(): number {
    return this.#groupIds.length;
  }

  /** Number of records in all groups. */
  get records(): number {
    return this.#allRecords;
  }

  /** Adds a record, or the sums of several whose newest is given. */
  add(
    groupId: number,
    records: number,
    responseTimeUs: number,
    botLatencyMs: number,
    newestMs: number,
    newestArrival: number,
    newestSession: number,
  ): void {
    if (groupId >= this.#capacity) this.#grow(groupId + 1);
    const before = this.#records[groupId] ?? 0;
    this.#records[groupId] = before + records;
    this.#responseTimeUs[groupId] = (this.#responseTimeUs[groupId] ?? 0) + responseTimeUs;
    this.#botLatencyMs[groupId] = (this.#botLatencyMs[groupId] ?? 0) + botLatencyMs;
    this.#allRecords += records;
    if (before === 0) this.#groupIds.push(groupId);
    else {
      const latestMs = this.#newestMs[groupId] ?? 0;
      if (newestMs < latestMs) return;
      if (newestMs === latestMs && newestArrival < (this.#newestArrival[groupId] ?? 0)) return;
    }
    this.#newestMs[groupId] = newestMs;
    this.#newestArrival[groupId] = newestArrival;
    this.#newestSession[groupId] = newestSession;
  }

  /** Adds a rollup that starts at `startMs`. */
  addCells(cells: RollupCells, startMs: number): void {
    const { groupId, records, responseTimeUs, botLatencyMs } = cells;
    const { newestOffsetMs, newestArrival, newestSession } = cells;
    for (let index = 0; index < cells.length; index += 1) {
      this.add(
        groupId[index] ?? 0,
        records[index] ?? 0,
        responseTimeUs[index] ?? 0,
        botLatencyMs[index] ?? 0,
        startMs + (newestOffsetMs[index] ?? 0),
        newestArrival[index] ?? 0,
        newestSession[index] ?? 0,
      );
    }
  }

  /** Adds all of another's. */
  addSums(other: GroupSums): void {
    for (const groupId of other.#groupIds) {
      this.add(
        groupId,
        other.#records[groupId] ?? 0,
        other.#responseTimeUs[groupId] ?? 0,
        other.#botLatencyMs[groupId] ?? 0,
        other.#newestMs[groupId] ?? 0,
        other.#newestArrival[groupId] ?? 0,
        other.#newestSession[groupId] ?? 0,
      );
    }
  }

  /** The sums as a rollup that starts at `startMs`, by group number. */
  toCells(startMs: number): RollupCells {
    const cells = createCells(this.#groupIds.length);
    for (const [index, groupId] of this.#sortGroupIds().entries()) {
      cells.groupId[index] = groupId;
      cells.records[index] = this.#records[groupId] ?? 0;
      cells.responseTimeUs[index] = this.#responseTimeUs[groupId] ?? 0;
      cells.botLatencyMs[index] = this.#botLatencyMs[groupId] ?? 0;
      cells.newestOffsetMs[index] = (this.#newestMs[groupId] ?? 0) - startMs;
      cells.newestArrival[index] = this.#newestArrival[groupId] ?? 0;
      cells.newestSession[index] = this.#newestSession[groupId] ?? 0;
    }
    return cells;
  }

  /** The sums by group number. */
  toTotals(): GroupTotals[] {
    return this.#sortGroupIds().map((groupId) => ({
      groupId,
      records: this.#records[groupId] ?? 0,
      responseTimeUs: this.#responseTimeUs[groupId] ?? 0,
      botLatencyMs: this.#botLatencyMs[groupId] ?? 0,
      newestMs: this.#newestMs[groupId] ?? 0,
      newestArrival: this.#newestArrival[groupId] ?? 0,
      newestSession: this.#newestSession[groupId] ?? 0,
    }));
  }

  clear(): void {
    for (const groupId of this.#groupIds) {
      this.#records[groupId] = 0;
      this.#responseTimeUs[groupId] = 0;
      this.#botLatencyMs[groupId] = 0;
    }
    this.#groupIds = [];
    this.#allRecords = 0;
  }

  #sortGroupIds(): number[] {
    return this.#groupIds.sort((a, b) => a - b);
  }

  #grow(needed: number): void {
    this.#capacity = Math.max(FIRST_CAPACITY, 2 ** Math.ceil(Math.log2(needed)));
    const grow = (column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(this.#capacity);
      grown.set(column);
      return grown;
    };
    this.#records = grow(this.#records);
    this.#responseTimeUs = grow(this.#responseTimeUs);
    this.#botLatencyMs = grow(this.#botLatencyMs);
    this.#newestMs = grow(this.#newestMs);
    this.#newestArrival = grow(this.#newestArrival);
    this.#newestSession = grow(this.#newestSession);
  }
}
