import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { useBackend } from '../backend/backend.ts';

/** Reads the texts of a record in full, which the record itself may hold the beginning of only. */
export function useWholeTexts(readRecord: () => RecordDetail | null) {
  const backend = useBackend();

  async function readWhole(): Promise<RecordDetail> {
    const record = readRecord();
    if (record === null) throw new Error('No record is shown.');
    if (record.cutLengths === undefined) return record;
    const { snapshotId, seq } = record;
    return backend.call('records/read-record', { snapshotId, seq, whole: true });
  }

  return {
    readWhole,
    readPayload: async () => (await readWhole()).payload,
    readResponse: async () => (await readWhole()).response ?? '',
  };
}
