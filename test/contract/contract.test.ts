import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { appEvents, appOperations } from '../../src-main/common/contract/app.ts';
import { connectionsEvents, connectionsOperations } from '../../src-main/common/contract/connections.ts';
import { downloadsEvents, downloadsOperations } from '../../src-main/common/contract/downloads.ts';
import { AppError, ERROR_CODES, toErrorInfo } from '../../src-main/common/contract/errors.ts';
import { EVENTS, OPERATIONS } from '../../src-main/common/contract/index.ts';
import { localServiceEvents, localServiceOperations } from '../../src-main/common/contract/local-service.ts';
import { recordsEvents, recordsOperations } from '../../src-main/common/contract/records.ts';
import { reportsEvents, reportsOperations } from '../../src-main/common/contract/reports.ts';
import { snapshotsEvents, snapshotsOperations } from '../../src-main/common/contract/snapshots.ts';
import { tasksEvents, tasksOperations } from '../../src-main/common/contract/tasks.ts';

const operationFiles = [
  appOperations,
  connectionsOperations,
  downloadsOperations,
  localServiceOperations,
  reportsOperations,
  recordsOperations,
  snapshotsOperations,
  tasksOperations,
];
const eventFiles = [
  appEvents,
  connectionsEvents,
  downloadsEvents,
  localServiceEvents,
  reportsEvents,
  recordsEvents,
  snapshotsEvents,
  tasksEvents,
];

describe('names', () => {
  it.each([
    ['operations', operationFiles, OPERATIONS],
    ['events', eventFiles, EVENTS],
  ])('of %s are declared once', (_what, files, all) => {
    const names = files.flatMap((file) => Object.keys(file));
    expect(names).toHaveLength(new Set(names).size);
    expect(names.toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it.each(Object.keys(OPERATIONS))('of operations say feature and verb: %s', (name) => {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*\/[a-z]+(?:-[a-z]+)*$/u);
  });
});

describe('errors', () => {
  it('have codes of feature and reason, each once', () => {
    expect(ERROR_CODES).toHaveLength(new Set(ERROR_CODES).size);
    for (const code of ERROR_CODES) expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/u);
  });

  it('have words for what happened and what can be done', async () => {
    const file = new URL('../../src-renderer/messages/en/errors.json', import.meta.url);
    const words = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, object>>;
    for (const code of ERROR_CODES) {
      const [feature = '', reason = ''] = code.split('.');
      expect(words[feature]?.[reason], code).toMatchObject({
        title: expect.stringMatching(/\S/u),
        text: expect.stringMatching(/\S/u),
        action: expect.stringMatching(/\S/u),
      });
    }
  });

  it('cross without their cause, and unexpected ones without their text', () => {
    const cause = new Error('secret');
    expect(toErrorInfo(new AppError('tasks.not-found', 'No such task.', { a: 1 }, cause))).toEqual({
      code: 'tasks.not-found',
      message: 'No such task.',
      details: { a: 1 },
    });
    expect(JSON.stringify(toErrorInfo(cause))).not.toContain('secret');
  });
});
