import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { nameFilter } from '../../common/query/name-filter.ts';
import { toWireDate } from '../../common/reporting/wire-dates.ts';
import type { ExportSubject } from './export-subject.ts';

const MAX_CHARS = 120;
const MAX_BYTES = 240;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const RESERVED = /[<>:"/\\|?*]/g;
/** Windows takes these for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;

/**
 * Makes a file name of any text and an extension: safe on Windows, macOS and Linux, at most 120 characters
 * and 240 bytes, never empty, never a path, never hidden.
 */
export function toSafeFileName(text: string, extension: string): string {
  const suffix = `.${extension}`;
  const clean = text.normalize('NFC').replace(INVISIBLE, '').replace(RESERVED, '_');
  const stem = trimEnds(clean);
  const named = stem === '' ? 'export' : DEVICE.test(stem) ? `_${stem}` : stem;
  return `${trimEnds(cutTo(named, suffix.length))}${suffix}`;
}

/**
 * The name proposed for an export, such as `inbound-detail_1001_2026-11-19.csv`; days in the zone that is shown, and
 * what it is filtered by.
 */
export function toExportFileName(
  subject: Pick<ExportSubject, 'tenant' | 'period' | 'isComputed'> & { readonly report: string },
  extension: string,
  shown: { readonly zone?: string | undefined; readonly filter?: RecordFilter } = {},
): string {
  const { tenant, period, isComputed = false } = subject;
  const zone = shown.zone ?? period.zone;
  const report = isComputed ? `${subject.report}-computed` : subject.report;
  const firstDay = toWireDate(period.fromMs, zone).slice(0, 10);
  const lastDay = toWireDate(period.toMs, zone).slice(0, 10);
  const days = firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`;
  const of = tenant === null ? report : `${report}_${tenant}`;
  return toSafeFileName(`${of}_${days}${nameFilter(shown.filter, zone)}`, extension);
}

function trimEnds(text: string): string {
  return text.replace(/^[\s.]+|[\s.]+$/gu, '');
}

/** Cuts at whole characters, leaving room for the suffix. */
function cutTo(text: string, suffixLength: number): string {
  let cut = '';
  for (const character of text) {
    const next = cut + character;
    if (next.length > MAX_CHARS - suffixLength || Buffer.byteLength(next) > MAX_BYTES - suffixLength) break;
    cut = next;
  }
  return cut;
}
