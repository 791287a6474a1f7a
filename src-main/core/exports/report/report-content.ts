import type { Finding, FindingsGap, NoticedSizes } from '../../../common/model/analysis/finding.ts';
import type { MeasuredGroup, MeasuredGroups } from '../../../common/model/analysis/grouping.ts';
import type { SeriesBucket } from '../../../common/model/analysis/measured-times.ts';
import type { Certificate } from '../../../common/model/cache/download.ts';
import type { ErrorFamilies } from '../../../common/model/records/error-family.ts';
import type { ValueName } from '../../../common/model/records/value-name.ts';
import type { Words } from '../../../common/words/words.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { ExportAbout } from '../formats/export-writer.ts';

/** Records between two instants, exclusive of the second, counted by class of response code, and their times. */
export interface ReportBucket extends SeriesBucket {
  /** In the order of CODE_CLASSES. */
  readonly classCounts: readonly number[];
}

/** What of the period is not cached in full. */
export interface ReportGap extends TimeSpan {
  readonly state: string;
}

/** What a certificate says, or that the cache can't tell. */
export type ReportCertificate = Certificate | { readonly snapshotId: number };

/** What stands out in a part of the period. */
export interface ReportFindings {
  /** The newest first. */
  readonly list: readonly Finding[];
  /** What was looked at. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Why it can't be said that nothing else stands out. */
  readonly gaps: readonly FindingsGap[];
  /** Where nothing stands out: how large something would have been. */
  readonly noticed?: NoticedSizes;
  /** Findings that are not listed, since a filter leaves records of them out; missing where all are listed. */
  readonly leftOut?: number;
}

/** Everything that a report tells. Times are instants in milliseconds; shares are from 0 to 1. */
export interface ReportContent {
  /** What it is told in. */
  readonly words: Words;
  readonly about: ExportAbout;
  readonly report: DetailKind;
  /** Null for a connection that is gone. */
  readonly connection: { readonly name: string; readonly address: string } | null;
  readonly names: readonly ValueName[];
  readonly applicationVersion: string;
  /** Which records failed is decided by rules of the connection's own. */
  readonly hasOwnRules: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  /** The zone of all times that are shown. */
  readonly zone: string;
  readonly total: MeasuredGroup;
  readonly buckets: readonly ReportBucket[];
  readonly pairs: MeasuredGroups;
  readonly codes: MeasuredGroups;
  readonly families: ErrorFamilies;
  readonly findings: ReportFindings;
  readonly gaps: readonly ReportGap[];
  readonly certificates: readonly ReportCertificate[];
  /** Snapshots whose certificates are not listed. */
  readonly certificatesLeftOut: number;
}
