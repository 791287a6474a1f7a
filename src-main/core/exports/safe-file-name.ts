import { toFileExtension, type ExportFormat } from '../../common/model/exports/export-options.ts';
import { INCOMPLETE_ENDING, toExportStem, type NamedExport } from '../../common/exports/export-stem.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';

const MAX_CHARS = 120;
const MAX_BYTES = 240;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const RESERVED = /[<>:"/\\|?*]/g;
/** Windows takes these for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;

/**
 * Makes a file name of any text and an extension: safe on Windows, macOS and Linux, at most 120 characters
 * and 240 bytes, never empty, never a path, never hidden. `ending` stays whole, however long the text is.
 */
export function toSafeFileName(text: string, extension: string, ending = ''): string {
  const suffix = `${ending}.${extension}`;
  const clean = text.normalize('NFC').replace(INVISIBLE, '').replace(RESERVED, '_');
  const stem = trimEnds(clean);
  const named = stem === '' ? 'export' : DEVICE.test(stem) ? `_${stem}` : stem;
  return `${trimEnds(cutTo(named, suffix.length))}${suffix}`;
}

/** The name proposed for an export, as `toExportStem` makes it, ending in `_incomplete` where something is missing; days in the zone that is shown, or else in the period's. */
export function toExportFileName(
  subject: NamedExport,
  format: ExportFormat,
  shown: { readonly zone?: string | undefined; readonly filter?: RecordFilter } = {},
): string {
  const stem = toExportStem(subject, format, shown.zone ?? subject.period.zone, shown.filter);
  const ending = subject.isIncomplete === true ? INCOMPLETE_ENDING : '';
  return toSafeFileName(stem, toFileExtension(format), ending);
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
