import { createHash } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { Remark, Snapshot } from '../../common/model/snapshot.ts';
import { judgeEnd } from '../../common/reporting/next-cursor.ts';
import { readPage, type ReadPage } from '../../common/reporting/read-page.ts';
import type { PageHead, PageToStore } from './cache.ts';
import type { Connection } from './connect.ts';
import { prepareInsert } from './insert-records.ts';
import { preparePageWrites } from './page-writes.ts';
import { isDetail, toDirection } from './record-tables.ts';
import type { SnapshotReader } from './snapshot-rows.ts';

export interface StoredPage {
  readonly page: PageToStore;
  readonly bytes: ArrayBuffer;
}

/**
 * Prepares the storing of pages. One call reads a page, tells its head, then writes records, journal,
 * counters, remarks and next cursor in one transaction. The same page again changes nothing; a page out
 * of order throws `app.invalid-input`; one that can't be read throws `client.*`. Nothing is written then.
 */
export function createPageStore(
  database: Connection,
  snapshots: SnapshotReader,
): (input: StoredPage, tell: (head: PageHead) => void) => Snapshot {
  const writes = preparePageWrites(database);
  const insert = {
    inbound: prepareInsert(database, 'inbound'),
    outbound: prepareInsert(database, 'outbound'),
  };

  const write = database.transaction(
    (snapshot: Snapshot, page: PageToStore, read: ReadPage, head: PageHead, sha256: string, size: number) => {
      const { report, pageCount: pageNumber } = snapshot;
      const firstSeq = snapshot.recordCount;
      if (isDetail(report)) insert[toDirection(report)](snapshot.id, firstSeq, read.records);
      else writes.insertGroups(snapshot.id, firstSeq, read.groups);
      const stored = isDetail(report) ? read.records.length : read.groups.length;
      writes.insertPage({
        ...{
          snapshotId: snapshot.id,
          pageNumber,
          cursorSent: page.cursorSent,
          firstSeq,
          stored,
          sha256,
          size,
        },
        ...{ cursorReceived: read.lastDocument, entryCount: read.recordCount, status: page.status },
        ...{ totalDocument: read.totalDocument, executionTimeMs: read.executionTimeMs },
        ...{ requestedAtMs: page.requestedAtMs, receivedAtMs: page.receivedAtMs },
      });
      for (const entry of read.setAside) writes.insertSetAside(snapshot.id, pageNumber, entry);
      for (const remark of listRemarks(snapshot, read, head)) writes.mergeRemark(snapshot.id, remark);
      writes.updateSnapshot({
        ...{ snapshotId: snapshot.id, stored, entryCount: read.recordCount, size },
        ...{ totalDocument: read.totalDocument, receivedAtMs: page.receivedAtMs },
        ...{ idReport: read.idReport, nameVisualization: read.nameVisualization },
        nextCursor: head.nextCursor,
      });
    },
  );

  return ({ page, bytes }, tell) => {
    const snapshot = snapshots.get(page.snapshotId);
    const walk = writes.readWalk(page.snapshotId);
    const body = new Uint8Array(bytes);
    const sha256 = createHash('sha256').update(body).digest('hex');
    if (walk.nextCursor !== page.cursorSent) {
      const before = writes.findPage(page.snapshotId, page.cursorSent, sha256);
      if (before === null) {
        throw new AppError('app.invalid-input', 'The page is out of order.', { snapshotId: snapshot.id });
      }
      tell({ recordCount: before.recordCount, totalDocument: before.totalDocument, ...walk, end: null });
      return snapshot;
    }
    const read = readPage(body, { report: snapshot.report, zone: page.zone });
    const verdict = judgeEnd({
      recordCount: read.recordCount,
      lastDocument: read.lastDocument,
      cursorSent: page.cursorSent,
      seenCursors: (cursor) => writes.wasSeen(page.snapshotId, cursor),
      receivedBefore: walk.receivedCount,
      totalDocument: read.totalDocument,
    });
    const head = { recordCount: read.recordCount, totalDocument: read.totalDocument, ...verdict };
    tell(head);
    write.immediate(snapshot, page, read, head, sha256, body.byteLength);
    return snapshots.get(page.snapshotId);
  };
}

/** What the page itself had to be forgiven, and what only shows between pages (decisions 8 and 10). */
function listRemarks(snapshot: Snapshot, read: ReadPage, head: PageHead): Remark[] {
  const remarks = [...read.remarks];
  const before = snapshot.totalDocument;
  if (before !== null && read.totalDocument !== null && before !== read.totalDocument) {
    remarks.push({ code: 'total-changed', count: 1, detail: `${before} → ${read.totalDocument}` });
  }
  if (head.end === 'cursor-repeated') remarks.push({ code: 'cursor-repeated', count: 1 });
  return remarks;
}
