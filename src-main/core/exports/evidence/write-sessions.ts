import { toColumnChoice } from '../arrange-columns.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { EvidenceQuestion } from './evidence-question.ts';
import type { PackThread } from './packing/pack-thread.ts';
import type { WrittenSession } from './packing/write-session.ts';

/** Requests of one session that are written; the oldest ones. */
const MAX_REQUESTS = 2_000;

/** Writes sessions, each in a file of its own. Throws `analysis.*` and `cache.*`. */
export async function writeSessions(
  pack: PackThread,
  { parts, subject, input }: EvidenceQuestion,
  { sessionIds, about }: { readonly sessionIds: readonly string[]; readonly about: ExportAbout },
  signal: AbortSignal,
): Promise<WrittenSession[]> {
  const choice = toColumnChoice(input);
  const { connectionId } = subject;
  const written: WrittenSession[] = [];
  for (const [place, sessionId] of sessionIds.entries()) {
    const session = await parts.engine.readSession(
      { connectionId, sessionId, limit: MAX_REQUESTS },
      { signal },
    );
    const file = `sessions/${String(place + 1).padStart(3, '0')}.json`;
    written.push(await pack.addSession({ file, sessionId, session, choice, about }, { signal }));
  }
  return written;
}
