import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toCivilTime } from '../../common/time/time-zones.ts';
import { INCOMPLETE_ENDING } from '../../common/exports/export-stem.ts';
import type { ExportFormat } from '../../common/model/exports/export-options.ts';
import { toSafeFileName } from '../exports/safe-file-name.ts';

/** So much of a name leaves room for what makes each file's name its own. */
const MAX_NAME_BYTES = 140;

/**
 * Returns the path of a run's file, such as `Night errors 2026-11-22.xlsx`: what it holds, by the clock of the zone, and
 * `_incomplete` where something is missing, as other exports do. A file that is there is never replaced: the next one has a number.
 */
export function nameRunFile(
  folder: string,
  about: {
    readonly name: string;
    readonly fromMs: number;
    readonly toMs: number;
    readonly zone: string;
    readonly format: ExportFormat;
    readonly isComplete: boolean;
  },
): string {
  const { name, fromMs, toMs, zone, format, isComplete } = about;
  const stem = `${cutTo(name, MAX_NAME_BYTES)} ${toPeriodName(fromMs, toMs, zone)}`;
  const ending = isComplete ? '' : INCOMPLETE_ENDING;
  for (let number = 1; ; number += 1) {
    const path = join(folder, toSafeFileName(number === 1 ? stem : `${stem} (${number})`, format, ending));
    if (!existsSync(path) && !existsSync(`${path}.part`)) return path;
  }
}

/** Cuts at whole characters. */
function cutTo(text: string, maxBytes: number): string {
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** Days where the period is of whole days, else times; without characters that a file name can't have. */
function toPeriodName(fromMs: number, toMs: number, zone: string): string {
  const [from, to] = [toParts(fromMs, zone), toParts(toMs, zone)];
  if (from.isMidnight && to.isMidnight) {
    const last = toParts(toMs - 1_000, zone);
    return from.day === last.day ? from.day : `${from.day} to ${last.day}`;
  }
  return `${from.day} ${from.time} to ${to.day === from.day ? '' : `${to.day} `}${to.time}`;
}

function toParts(atMs: number, zone: string): { day: string; time: string; isMidnight: boolean } {
  const { year, month, day, hour, minute, second } = toCivilTime(atMs, zone);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return {
    day: `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`,
    time: `${pad(hour)}${pad(minute)}`,
    isMidnight: hour + minute + second === 0,
  };
}
