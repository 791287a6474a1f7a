import { AppError } from '../../../common/contract/errors.ts';
import { MAX_PAGES } from './portable-manifest.ts';

const REASONS = {
  'not-over': 'It is still being downloaded. Wait for its end, or cancel it.',
  damaged: 'A page of it is damaged, or missing. Download it again.',
  changed: 'It changed while the file was written. Share it again.',
  'too-many-pages': `Together they have more than ${MAX_PAGES} pages. Share fewer of them at a time.`,
  'too-large': 'Its records take more than 4 GB. Download shorter periods, and share those.',
};

/** An AppError `exports.not-portable` that says why snapshots can't be shared, and what to do. */
export function toNotPortable(reason: keyof typeof REASONS): AppError {
  return new AppError('exports.not-portable', 'The snapshot can not be shared.', { reason: REASONS[reason] });
}
