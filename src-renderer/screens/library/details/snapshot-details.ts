import type { Output } from '../../../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { RefreshedPair } from '../../../stores/analysis/summaries.ts';
import {
  DETAIL_FIELD_NAMES,
  NARROW_NAMES,
  type NarrowName,
} from '../../../../src-main/common/reporting/field-names.ts';
import { ref } from 'vue';
import { useQuery } from '../../../composables/use-query.ts';
import { useI18n } from 'vue-i18n';
import type { Certificate } from '../../../../src-main/common/model/cache/download.ts';
import { formatDayClock, formatExact, formatBytes, formatCount } from '../../../format/formats.ts';
import { useErrorFormatter } from '../../../messages/error-words.ts';
import { useRemarkWords } from '../../../messages/remark-words.ts';
import { useClockStore } from '../../../stores/window/times.ts';

type Difference = Output<'snapshots/compare'>['differences'][number];

/** Fields with their names as the specification spells them. */
const FIELDS: readonly (readonly [NarrowName | 'payloadPreview', string])[] = [
  ...NARROW_NAMES.filter((name) => name !== 'sessionId').map(
    (name) => [name, DETAIL_FIELD_NAMES[name][0]] as const,
  ),
  ['payloadPreview', DETAIL_FIELD_NAMES.payload[0]],
];

/** Returns the pair to compare: a snapshot and the one that it refreshed, or else the newest that refreshed it. */
export function findPair(snapshot: Snapshot, snapshots: readonly Snapshot[]): RefreshedPair | null {
  const older = snapshots.find(({ id }) => id === snapshot.refreshOf);
  if (older !== undefined) return { older, newer: snapshot };
  const newer = snapshots
    .filter(({ refreshOf }) => refreshOf === snapshot.id)
    .sort((a, b) => b.fetchedOrder - a.fetchedOrder || b.id - a.id)[0];
  return newer === undefined ? null : { older: snapshot, newer };
}

/** Whether all of the newer one has come: what it lacks would be taken for removed. */
export function isComparable({ newer }: RefreshedPair): boolean {
  return newer.state === 'complete';
}

/** Returns the fields of a changed record as `name: before → after`; for others what identifies them. */
export function listChanges({ older, newer }: Difference): readonly string[] {
  if (older === null || newer === null) {
    const row = newer ?? older;
    return row === null ? [] : [`${String(row.responseCode ?? '–')} · ${row.client}`];
  }
  return FIELDS.filter(([field]) => older[field] !== newer[field]).map(
    ([field, name]) => `${name}: ${String(older[field] ?? '–')} → ${String(newer[field] ?? '–')}`,
  );
}

export const ENTRIES_PER_PAGE = 50;

interface PageInput {
  readonly snapshotId: number;
  readonly offset: number;
  readonly limit: number;
}

/** Reads a list of a snapshot page by page, again when its pages change. */
export function usePages<List>(readSnapshot: () => Snapshot, read: (input: PageInput) => Promise<List>) {
  const offset = ref(0);
  const {
    value: list,
    error,
    reload,
  } = useQuery(
    () => readSnapshot().id,
    () => read({ snapshotId: readSnapshot().id, offset: offset.value, limit: ENTRIES_PER_PAGE }),
    { again: [() => readSnapshot().pageCount, () => readSnapshot().verification, offset] },
  );
  return { offset, list, error, reload };
}

interface Fact {
  readonly name: string;
  readonly value: string;
  readonly isCode?: boolean;
}

/** States that the heading tells of. */
const UNFINISHED = new Set(['queued', 'running', 'paused']);

/** Returns functions that put a certificate into words. */
export function useCertificateWords(): {
  /** What the certificate says, in one sentence or a few: no more than is known. */
  toHeading(certificate: Certificate): string;
  toFacts(certificate: Certificate): readonly Fact[];
  /** Why it is not complete; empty when it is. */
  toReasons(certificate: Certificate): readonly string[];
} {
  const { t, te } = useI18n();
  const clock = useClockStore();
  const formatError = useErrorFormatter();
  const toRemark = useRemarkWords();
  const toTotal = (total: number | null): string =>
    total === null ? t('library.certificate.noTotal') : formatCount(total);

  function toHeading({ state, isComplete, reservations }: Certificate): string {
    if (isComplete && reservations.length === 0) return t('library.certificate.complete');
    if (isComplete) return [t('library.certificate.reserved'), ...reservations.map(toRemark)].join(' ');
    if (state === 'downloading') return t('library.certificate.unfinished.downloading');
    return t(
      state === 'paused' ? 'library.certificate.unfinished.paused' : 'library.certificate.notComplete',
    );
  }

  function toFacts(certificate: Certificate): readonly Fact[] {
    const { period, coercions, remarks } = certificate;
    const days = certificate.sliceDays ?? 0;
    const isOfPieces = days < 1 && certificate.slices.length > 1;
    const row = (name: string, value: string, isCode = false): Fact => ({
      name: t(`library.certificate.fact.${name}`),
      value,
      isCode,
    });
    const at = (atMs: number | null): string => (atMs === null ? '–' : formatExact(atMs, clock.zone));
    const ofPages = (value: string): string => (certificate.pageCount === 0 ? '–' : value);
    const said = [...coercions, ...remarks].map(toRemark);
    return [
      row(
        'service',
        `${certificate.serviceAddress} · ${t('library.details.tenant', { tenant: certificate.tenant })}`,
      ),
      row('asked', `${period.startDate} –\n${period.endDate} (${period.zone})`),
      row('report', certificate.idReport || '–', true),
      ...(certificate.slices.length > 1
        ? [
            row(
              'slices',
              // Pieces that following added have no common length, and those of hours are many.
              t(
                isOfPieces ? 'library.certificate.pieces' : 'library.certificate.slices',
                { count: formatCount(certificate.slices.length), days: formatCount(days) },
                days,
              ),
            ),
          ]
        : []),
      row('records', formatCount(certificate.recordCount)),
      row('pages', `${formatCount(certificate.pageCount)} · ${formatBytes(certificate.receivedBytes)}`),
      row(
        'totals',
        ofPages(
          // Following asks again for the second at which pieces meet.
          t(isOfPieces ? 'library.certificate.totalsOfPieces' : 'library.certificate.totals', {
            first: toTotal(certificate.firstTotal),
            last: toTotal(certificate.lastTotal),
          }),
        ),
      ),
      row('setAside', formatCount(certificate.setAsideCount)),
      row('tolerated', said.length === 0 ? t('library.certificate.nothing') : said.join('\n')),
      row('resumed', formatCount(certificate.resumedCount)),
      row(
        'times',
        ofPages(`${at(certificate.firstPageAtMs)} –\n${at(certificate.lastPageAtMs)} (${clock.zone})`),
      ),
      row('digest', ofPages(certificate.pagesSha256), true),
    ];
  }

  function toReasons(certificate: Certificate): readonly string[] {
    const { stillOpen, firstPageAtMs } = certificate;
    const open =
      stillOpen && firstPageAtMs !== null
        ? [t('library.stateNote.open', { time: formatDayClock(firstPageAtMs, clock.zone) })]
        : [];
    const reasons = certificate.reasons
      .filter((code) => !UNFINISHED.has(code))
      .map((code) => {
        const remark = certificate.remarks.find((each) => each.code === code);
        if (remark !== undefined || te(`remarks.${code}`)) return toRemark(remark ?? { code });
        const { title, action } = formatError({ code });
        return `${title}. ${action}`;
      });
    return [...reasons, ...open];
  }

  return { toHeading, toFacts, toReasons };
}
