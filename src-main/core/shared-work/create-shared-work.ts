import { hash } from 'node:crypto';
import { existsSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import {
  REPEATED_KINDS,
  SHARED_KINDS,
  type ConflictChoice,
  type SharedChoice,
  type SharedWork,
} from '../../common/model/shared/shared-work.ts';
import { wait } from '../../node/wait.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Events } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import {
  assessLink,
  type BaseVersion,
  createScope,
  describeConflict,
  findManyRemovals,
  type Found,
  isOldCopy,
  type Standing,
} from './assess-link.ts';
import { toFileName, toIdentity, writeConnection } from './item-text.ts';
import {
  CONNECTIONS_FOLDER,
  keepMapped,
  type KeptVersions,
  type LinkFile,
  openSharedFolder,
  requireSound,
  type SharedFolder,
  toFolderError,
  toUnfit,
} from './shared-folder.ts';
import {
  listLost,
  listProblems,
  Moved,
  toFile,
  toText,
  type FolderSide,
  type SideItem,
  type Sides,
} from './read-sides.ts';
import { toSecond } from './shared-kinds.ts';

/** How often the folder is looked at where nothing tells of a change, as on most network drives. */
const LOOK_EVERY_MS = 5_000;
/** Changes that come together are looked at together. */
const GATHER_MS = 300;
/** A file must be away for so long to count as deleted: sync programs remove files to put others in their place. */
const ABSENT_MS = 3_000;
/** After its own writes, the folder is looked at again to see that they are there; not for ever where others keep writing. */
const MAX_TURNS = 5;
const LOCAL_CHANGES = ['settings/changed', 'connections/changed', 'alerts/changed', 'schedules/changed'];

/** Shared work in a linked folder: both sides follow each other. */
export interface SharedWorkLink {
  read(): SharedWork;
  /** Throws `shared-work.folder-unfit`, `connections.not-found` and `app.invalid-input`. */
  link(choice: SharedChoice): Promise<SharedWork>;
  unlink(): Promise<SharedWork>;
  /** Looks at both sides now, until nothing more can be done. */
  look(): Promise<SharedWork>;
  /** Throws `shared-work.changed`. */
  resolve(conflictId: string, choice: ConflictChoice): Promise<SharedWork>;
  /** Throws `shared-work.changed` where there is no such file any more, or no version of it here. */
  replaceFile(file: string): Promise<SharedWork>;
  answerRemovals(answer: 'delete' | 'restore'): Promise<SharedWork>;
  /** Looks by itself from now on, until it is stopped. */
  start(): void;
  stop(): Promise<void>;
}

/** Creates what follows a linked folder. Nothing is done by itself before `start`. */
export function createSharedWorkLink(parts: {
  readonly sides: Sides;
  readonly linkFile: LinkFile;
  readonly kept: KeptVersions;
  readonly connections: Pick<ConnectionStore, 'get' | 'listSaved'>;
  readonly events: Pick<Events, 'emit' | 'onAny'>;
  readonly dataFolder: string;
  readonly logger: Logger;
  now(): number;
  /** Counts on whatever becomes of the computer's clock. */
  monotonicMs(): number;
}): SharedWorkLink {
  const { sides, linkFile, kept, connections, events, logger, now, monotonicMs } = parts;
  const inTurn = createWorkQueue();
  const absentSince = new Map<string, number>();
  let opened: { readonly path: string; readonly folder: SharedFolder } | null = null;
  let watchers: FSWatcher[] = [];
  let poll: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let stopListening = (): void => undefined;
  let isStopped = false;
  let shown: SharedWork = toShown({});

  function toShown(change: Partial<SharedWork>): SharedWork {
    const { choice } = linkFile.read();
    return {
      choice,
      state: choice === null ? 'none' : 'looking',
      inStepSinceMs: null,
      lookedAtMs: null,
      error: null,
      count: 0,
      waiting: 0,
      conflicts: [],
      problems: [],
      foreign: [],
      removals: { here: 0, folder: 0 },
      keptCount: kept.count(),
      ...change,
    };
  }

  /** Tells the windows, unless all that is new is that it was looked at. */
  function show(next: SharedWork): void {
    const before = shown;
    shown = next;
    if (JSON.stringify({ ...before, lookedAtMs: 0 }) !== JSON.stringify({ ...next, lookedAtMs: 0 }))
      events.emit('shared-work/changed', next);
  }

  const openFolder = (path: string): SharedFolder => {
    if (opened?.path !== path) opened = { path, folder: openSharedFolder(path, monotonicMs) };
    return opened.folder;
  };
  const readBase = (): Map<string, BaseVersion> => new Map(Object.entries(linkFile.read().base));
  const saveBase = async (base: ReadonlyMap<string, BaseVersion>): Promise<void> => {
    const next = Object.fromEntries(base);
    const link = linkFile.read();
    if (JSON.stringify(next) !== JSON.stringify(link.base)) await linkFile.save({ ...link, base: next });
  };

  const assess = (choice: SharedChoice): Promise<Found | 'gone' | 'empty'> =>
    assessLink(choice, {
      sides,
      folder: openFolder(choice.folder),
      base: readBase(),
      saved: connections.listSaved(),
    });

  /** Does once what can be done; returns whether more may be to do now, and shows how it stands. */
  async function turn(choice: SharedChoice, areRemovalsFine: boolean): Promise<boolean> {
    const found = await assess(choice);
    if (found === 'gone' || found === 'empty') {
      absentSince.clear();
      show(toShown({ state: found === 'gone' ? 'gone' : 'emptied', lookedAtMs: now() }));
      return false;
    }
    const folder = openFolder(choice.folder);
    const base = readBase();
    const isShared = createScope(choice, connections.listSaved());
    for (const identity of base.keys()) if (!isShared(identity)) base.delete(identity);
    const removals = areRemovalsFine ? { here: 0, folder: 0 } : findManyRemovals(found.standings, base.size);
    const errors = new Map<string, unknown>();
    let waiting = 0;
    let count = 0;
    let hasDone = false;
    for (const standing of found.standings) {
      const { identity, mine, step, copies } = standing;
      if (step !== 'delete-mine') absentSince.delete(identity);
      try {
        for (const copy of copies)
          if (isOldCopy(standing, copy)) {
            if (copy.digest !== standing.theirs?.digest) await kept.keep(copy.file, 'replaced', toText(copy));
            await folder.remove(copy.file, copy.bytes);
          }
        if (step === 'nothing') count += mine === null ? 0 : 1;
        else if (step === 'settle') {
          settle(base, standing);
          count += mine === null ? 0 : 1;
        } else if (step !== 'conflict') {
          const isHeld =
            (step === 'delete-mine' && removals.folder > 0) ||
            (step === 'delete-theirs' && removals.here > 0);
          if (!isHeld && (await carryOut(choice, folder, base, standing))) hasDone = true;
          else waiting += 1;
        }
      } catch (error) {
        waiting += 1;
        const isLater =
          error instanceof Moved || (error instanceof AppError && error.code === 'shared-work.changed');
        if (isLater) continue;
        // One that can't be used here keeps no other from being carried.
        if (!(error instanceof AppError)) throw error;
        errors.set(standing.theirs?.file ?? identity, error);
      }
    }
    await describeConnections(choice, folder, found.folder);
    await saveBase(base);
    for (const [file, own] of found.blocked) {
      const before = base.get(toIdentity(own.item));
      if (before?.digest !== own.digest || before.file !== file) waiting += 1;
    }
    const conflicts = [...found.conflicts.keys()].map((id) => describeConflict(id, found, choice));
    waiting += found.lost.length;
    const problems = [
      ...listProblems(found.folder.faults, errors, (file) => found.blocked.has(file)),
      ...listLost(found.lost),
    ];
    const isInStep =
      waiting === 0 && conflicts.length === 0 && removals.here + removals.folder === 0 && !hasDone;
    show(
      toShown({
        state: isInStep ? 'in-step' : 'waiting',
        inStepSinceMs: isInStep ? (shown.inStepSinceMs ?? now()) : null,
        lookedAtMs: now(),
        count,
        waiting,
        conflicts,
        problems,
        foreign: sides.listForeign(found.folder, choice),
        removals,
      }),
    );
    return hasDone;
  }

  /** Carries one step out; false where it has to wait. */
  async function carryOut(
    choice: SharedChoice,
    folder: SharedFolder,
    base: Map<string, BaseVersion>,
    { identity, mine, theirs, base: before, step }: Standing,
  ): Promise<boolean> {
    if (step === 'take' && theirs !== null) {
      if (mine !== null) await kept.keep(theirs.file, 'replaced', toText(mine));
      await sides.put(choice, theirs.item, mine?.digest ?? null, () => theirs.item.value);
      base.set(identity, { digest: theirs.digest, isConfirmed: true, file: theirs.file.normalize('NFC') });
      return true;
    }
    if (step === 'write' && mine !== null) {
      const file = theirs?.file ?? toFile(mine.item);
      if (theirs !== null) await kept.keep(file, 'replaced', toText(theirs));
      if (!(await folder.write(file, theirs?.bytes ?? null, toText(mine)))) return false;
      base.set(identity, { digest: mine.digest, isConfirmed: false, file: file.normalize('NFC') });
      return true;
    }
    if (step === 'delete-theirs' && theirs !== null) {
      await kept.keep(theirs.file, 'deleted', toText(theirs));
      if (!(await folder.remove(theirs.file, theirs.bytes))) return false;
      base.delete(identity);
      return true;
    }
    if (step === 'delete-mine' && mine !== null) {
      const since = absentSince.get(identity) ?? monotonicMs();
      absentSince.set(identity, since);
      if (monotonicMs() - since < ABSENT_MS) return false;
      await kept.keep(before?.file ?? toFile(mine.item), 'deleted', toText(mine));
      await sides.put(choice, mine.item, mine.digest, () => undefined);
      base.delete(identity);
      absentSince.delete(identity);
      return true;
    }
    return false;
  }

  /** Other computers know a connection by its description: the first that shares it writes it. */
  async function describeConnections(
    choice: SharedChoice,
    folder: SharedFolder,
    { notes }: FolderSide,
  ): Promise<void> {
    for (const { connectionId, sharedId } of choice.connections) {
      const connection = connections.listSaved().find(({ id }) => id === connectionId);
      if (connection === undefined || notes.has(sharedId)) continue;
      const name = toFileName(`connection/${sharedId}`, connection.name);
      await folder.write(
        `${CONNECTIONS_FOLDER}/${name}`,
        null,
        writeConnection(sides.describe(connection, sharedId)),
      );
    }
  }

  async function lookNow(areRemovalsFine = false): Promise<void> {
    const { choice } = linkFile.read();
    if (choice === null || isStopped) return;
    try {
      for (let turns = 0; turns < MAX_TURNS; turns += 1) if (!(await turn(choice, areRemovalsFine))) break;
      watchFolder(choice.folder);
    } catch (error) {
      logger.warn('the shared folder was not looked at', { error });
      show(toShown({ state: 'failed', lookedAtMs: now(), error: toFolderError(error, choice.folder) }));
    }
  }

  const look = (areRemovalsFine = false): Promise<SharedWork> =>
    inTurn(async () => {
      await lookNow(areRemovalsFine);
      return shown;
    });
  const request = (): void => {
    clearTimeout(gathering);
    gathering = setTimeout(() => void look(), GATHER_MS).unref();
  };

  function watchFolder(path: string): void {
    if (poll === undefined || watchers.length > 0) return;
    const places = [path, ...[...SHARED_KINDS, CONNECTIONS_FOLDER].map((part) => join(path, part))];
    for (const place of places.filter((each) => existsSync(each))) {
      try {
        const watcher = watch(place, { persistent: false }, () => {
          // A folder that came or went has to be watched, too.
          if (place === path) stopWatching();
          request();
        });
        watcher.on('error', stopWatching);
        watchers.push(watcher);
      } catch {
        // Not every drive can tell; it is looked at every few seconds anyway.
      }
    }
  }
  function stopWatching(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  /** Finds a conflict as it is now, and does what a person chose of it. */
  async function resolveNow(conflictId: string, wanted: ConflictChoice): Promise<void> {
    const { choice } = linkFile.read();
    const found = choice === null ? 'gone' : await assess(choice);
    const conflict = typeof found === 'string' ? undefined : found.conflicts.get(conflictId);
    if (choice === null || conflict === undefined)
      throw new AppError('shared-work.changed', 'The versions have changed since they were shown.');
    const { standing, copy } = conflict;
    const { identity, mine, theirs } = standing;
    const other = copy ?? theirs;
    const item = (mine ?? other)?.item;
    if (item === undefined) return;
    if (wanted === 'both') {
      if (mine === null || other === null || !REPEATED_KINDS.includes(item.kind))
        throw new AppError('app.invalid-input', 'There can be only one of them.', { field: 'choice' });
      const { items: all } = await sides.readMine(choice);
      const taken = new Set([...all.values()].map((own) => `${own.item.kind}/${own.item.key}`));
      // What others have in force keeps its place.
      const moved = copy === null ? mine : copy;
      const second = toSecond(item.kind, moved.item.value, (key) => taken.has(`${item.kind}/${key}`));
      await sides.put(choice, { ...item, key: second.key }, null, () => second.value);
    }
    const base = readBase();
    if (copy !== null) {
      if (wanted === 'theirs') {
        if (mine !== null) await kept.keep(copy.file, 'replaced', toText(mine));
        await sides.put(choice, item, mine?.digest ?? null, () => copy.item.value);
      }
      await kept.keep(copy.file, 'replaced', toText(copy));
      await openFolder(choice.folder).remove(copy.file, copy.bytes);
    } else if (wanted === 'mine') {
      if (theirs !== null) await kept.keep(theirs.file, 'replaced', toText(theirs));
      note(base, identity, theirs, theirs?.file);
    } else {
      if (mine !== null) await kept.keep(theirs?.file ?? toFile(mine.item), 'replaced', toText(mine));
      note(base, identity, mine, theirs?.file ?? (mine === null ? undefined : toFile(mine.item)));
      // It was deleted there, and that is what was chosen: nothing else has to be waited for.
      absentSince.set(identity, monotonicMs() - ABSENT_MS);
    }
    await saveBase(base);
  }

  return {
    read: () => ({ ...shown, choice: linkFile.read().choice, keptCount: kept.count() }),
    link: (choice) =>
      inTurn(async () => {
        requireSound(choice, parts.dataFolder);
        for (const { connectionId } of choice.connections) connections.get(connectionId);
        const before = linkFile.read();
        const folder = openFolder(choice.folder);
        const scan = await folder.scan().catch((error: unknown) => {
          throw toUnfit(choice.folder, 'not-readable', error);
        });
        // One that was emptied is filled again from here: that its items are away says nothing.
        const isSame = before.choice?.folder === choice.folder && scan.state === 'there';
        await folder.mark().catch((error: unknown) => {
          throw toUnfit(choice.folder, 'not-writable', error);
        });
        await linkFile.save({ choice, base: isSame ? keepMapped(before, choice) : {} });
        absentSince.clear();
        stopWatching();
        show(toShown({}));
        await lookNow();
        return shown;
      }),
    unlink: () =>
      inTurn(async () => {
        await linkFile.save({ choice: null, base: {} });
        stopWatching();
        absentSince.clear();
        show(toShown({}));
        return shown;
      }),
    async look() {
      await look();
      if (absentSince.size === 0) return shown;
      // What is away now may count as deleted in a moment.
      await wait(ABSENT_MS);
      return look();
    },
    resolve: (conflictId, choice) =>
      inTurn(async () => {
        await resolveNow(conflictId, choice).catch((error: unknown) => {
          throw error instanceof Moved ? new AppError('shared-work.changed', error.message) : error;
        });
        await lookNow();
        return shown;
      }),
    replaceFile: (file) =>
      inTurn(async () => {
        const { choice } = linkFile.read();
        const found = choice === null ? 'gone' : await assess(choice);
        const own = typeof found === 'string' ? undefined : found.blocked.get(file);
        if (choice === null || own === undefined)
          throw new AppError('shared-work.changed', 'The file has changed since it was shown.');
        const folder = openFolder(choice.folder);
        const bytes = await folder.readBytes(file);
        await kept.keep(file, 'unreadable', bytes);
        if (!(await folder.write(file, hash('sha256', bytes, 'base64url'), toText(own))))
          throw new AppError('shared-work.changed', 'The file has changed since it was shown.');
        await lookNow();
        return shown;
      }),
    answerRemovals: (answer) =>
      inTurn(async () => {
        const { choice } = linkFile.read();
        const found = choice === null ? 'gone' : await assess(choice);
        const base = readBase();
        for (const { identity, step } of typeof found === 'string' ? [] : found.standings) {
          if (step !== 'delete-mine' && step !== 'delete-theirs') continue;
          // Without what was before, what one side has is new to the other.
          if (answer === 'restore') base.delete(identity);
          else absentSince.set(identity, monotonicMs() - ABSENT_MS);
        }
        await saveBase(base);
        await lookNow(answer === 'delete');
        return shown;
      }),
    start() {
      if (poll !== undefined) return;
      poll = setInterval(request, LOOK_EVERY_MS).unref();
      stopListening = events.onAny((...[name]) => {
        if (LOCAL_CHANGES.includes(name)) request();
      });
      request();
    },
    async stop() {
      isStopped = true;
      clearInterval(poll);
      clearTimeout(gathering);
      stopListening();
      stopWatching();
      await inTurn(() => Promise.resolve());
    },
  };
}

function settle(base: Map<string, BaseVersion>, { identity, mine, theirs }: Standing): void {
  note(base, identity, mine, theirs?.file);
}

function note(
  base: Map<string, BaseVersion>,
  identity: string,
  version: SideItem | null,
  file: string | undefined,
): void {
  if (version === null) base.delete(identity);
  else
    base.set(identity, {
      digest: version.digest,
      isConfirmed: true,
      file: (file ?? toFile(version.item)).normalize('NFC'),
    });
}
