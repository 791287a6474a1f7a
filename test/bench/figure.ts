import { readFileSync } from 'node:fs';

/** One measured figure beside its peer and its goal; nulls where there is none. */
export interface BenchFigure {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly peer: string | null;
  readonly peerValue: number | null;
  /** value / peerValue. */
  readonly ratio: number | null;
  /** In the unit; at most for times, at least for rates. */
  readonly goal: number | null;
  readonly met: boolean | null;
  /** What else was counted of it, by name. */
  readonly details?: Readonly<Record<string, number | null>>;
  /** What it is made of, by name; written as JSON alone. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** What a bench is asked for. */
export interface BenchOptions {
  /** In records. */
  readonly size: number;
  /** Where benches that fill a cache keep it. */
  readonly folder?: string | undefined;
  /** Engine of the service's records, where it isn't the usual one. */
  readonly database?: string | undefined;
  /** Folder of labelled sets of error texts or of records, and a number that shuffles them; they come in their order without it. */
  readonly corpus?: string | undefined;
  readonly shuffle?: number | undefined;
  /** Milliseconds that are added to each response of the service. */
  readonly latencyMs?: number | undefined;
  /** Records in a page. */
  readonly pageSize?: number | undefined;
}

/** A duration with a goal it must not exceed. */
export function toTimeFigure(
  bench: string,
  figure: string,
  valueMs: number,
  goalMs: number | null = null,
  peer: { name: string; valueMs: number } | null = null,
): BenchFigure {
  return {
    bench,
    figure,
    value: valueMs,
    unit: 'ms',
    goal: goalMs,
    peer: peer?.name ?? null,
    peerValue: peer?.valueMs ?? null,
    ratio: peer === null ? null : valueMs / peer.valueMs,
    met: goalMs === null ? null : valueMs <= goalMs,
  };
}

/** The most memory that a process ever took, with the files that it mapped. */
export function toMemoryFigure(bench: string, figure: string, pid: number): BenchFigure {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const value = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  const rest = { peer: null, peerValue: null, ratio: null, goal: null, met: null };
  return { bench, figure, value, unit: 'MB', ...rest };
}

/** The value below which a share of the values lies, 0 to 1. */
export function toQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Runs the work and returns its result with the milliseconds it took. */
export async function measure<Value>(
  work: () => Value | Promise<Value>,
): Promise<{ value: Value; ms: number }> {
  const from = performance.now();
  const value = await work();
  return { value, ms: performance.now() - from };
}
