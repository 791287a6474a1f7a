/** Where an imported snapshot came from, as JSON; null for what was received from the service. */
export const ADD_IMPORTED = 'ALTER TABLE snapshots ADD COLUMN imported TEXT';

/** Hides a snapshot while it is being imported; the next start deletes one that a crash left so. */
export const BEING_IMPORTED = 4;
