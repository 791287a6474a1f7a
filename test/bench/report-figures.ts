import { stat } from 'node:fs/promises';
import { toTimeFigure, type BenchFigure } from './figure.ts';

const TIME_GOAL_MS = 3000;
const SIZE_GOAL_KB = 2000;

/** The time that the HTML report of all records took, and how large it is. */
export async function* describeReport(bench: string, ms: number, file: string): AsyncGenerator<BenchFigure> {
  yield toTimeFigure(bench, 'HTML report', ms, TIME_GOAL_MS);
  const value = Math.round((await stat(file)).size / 1000);
  yield {
    bench,
    figure: 'size of the HTML report',
    value,
    unit: 'kB',
    peer: null,
    peerValue: null,
    ratio: null,
    goal: SIZE_GOAL_KB,
    met: value <= SIZE_GOAL_KB,
  };
}
