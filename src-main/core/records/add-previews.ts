import { AppError } from '../../common/contract/errors.ts';
import type { Session, SessionRequest } from '../../common/model/records/session.ts';
import { toRecordId } from '../../common/model/records/record-ids.ts';
import { DIRECTIONS } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';

const BATCH_ROWS = 500;

/** Returns a session with what the payloads of its requests say: the engine has none of them. */
export async function addPreviews(cache: Pick<Cache, 'readRows'>, session: Session): Promise<Session> {
  const previews = new Map<SessionRequest, string>();
  for (const direction of DIRECTIONS) {
    const own = session.requests.filter((request) => request.direction === direction);
    for (let start = 0; start < own.length; start += BATCH_ROWS) {
      const batch = own.slice(start, start + BATCH_ROWS);
      const ids = batch.map(({ snapshotId, seq }) => toRecordId(snapshotId, seq));
      const rows = await cache.readRows({ report: `${direction}-detail`, ids }).catch((thrown: unknown) => {
        // They were removed after the engine had found them: the window asks again as soon as it hears of it.
        if (thrown instanceof AppError && thrown.code === 'cache.view-closed') return [];
        throw thrown;
      });
      for (const [place, row] of rows.entries()) {
        const request = batch[place];
        if (request !== undefined) previews.set(request, row.payloadPreview);
      }
    }
  }
  const requests = session.requests.map((request) => {
    const payloadPreview = previews.get(request);
    return payloadPreview === undefined ? request : { ...request, payloadPreview };
  });
  return { ...session, requests };
}
