import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** The marks that a person can put on a record; each has a shape of its own. */
export const MARKS = ['star', 'flag', 'check', 'question'] as const;
export const MAX_RECORD_NOTE_CHARACTERS = 2000;
/** Marked records of a report of a connection. */
export const MAX_MARKED_RECORDS = 2000;

const Mark = Nullable(Type.Enum([...MARKS]));
const Note = Type.String({ maxLength: MAX_RECORD_NOTE_CHARACTERS });

/**
 * What a person noted on a record. It belongs to whatever record is the same in every field, so it stays when the
 * period is fetched again, and is on no record that changed.
 */
export const RecordMark = Type.Object({ mark: Mark, note: Note });
export type RecordMark = Static<typeof RecordMark>;

/** What is left out is not changed. */
export const RecordMarkChange = Type.Object({ mark: Type.Optional(Mark), note: Type.Optional(Note) });
export type RecordMarkChange = Static<typeof RecordMarkChange>;
