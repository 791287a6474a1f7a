import { describe, expect, it } from 'vitest';
import { findPlaceRisks } from '../../../../src-main/core/data-folder/copy-folder.ts';

const facts = (change: Partial<Parameters<typeof findPlaceRisks>[3] & object> = {}) => ({
  type: 0xef53,
  realPath: '/home/ana/data',
  hasMark: () => false,
  mayBeRead: false,
  ...change,
});
const find = (platform: 'linux' | 'windows' | 'macos', change: Parameters<typeof facts>[0]) =>
  findPlaceRisks('', '', platform, facts(change));

describe('a place for databases', () => {
  it.each([
    ['NFS', 0x6969],
    ['SMB', 0xff534d42],
    ['SMB as a signed number', 0xfe534d42 | 0],
    ['9P', 0x01021997],
  ])('on the disk of another computer is warned of: %s', (_name, type) => {
    expect(find('linux', { type })).toEqual(['network']);
    // Other systems number their file systems in another way.
    expect(find('macos', { type })).toEqual([]);
  });

  it.each([
    ['\\\\server\\share\\data', ['network']],
    ['//server/share/data', ['network']],
    ['C:\\Users\\ana\\data', []],
    ['\\\\?\\C:\\Users\\ana\\data', []],
  ])('%s under Windows', (realPath, risks) => {
    expect(find('windows', { realPath })).toEqual(risks);
  });

  it.each([
    'C:\\Users\\ana\\OneDrive\\data',
    'C:\\Users\\ana\\OneDrive - Company\\data',
    '/Users/ana/Library/Mobile Documents/com~apple~CloudDocs/data',
    '/Users/ana/Library/CloudStorage/Box-Box/data',
    '/home/ana/Dropbox (Team)/data',
    '/home/ana/Nextcloud/data',
  ])('in step with other computers is warned of: %s', (realPath) => {
    expect(find('linux', { realPath })).toEqual(['synced']);
  });

  it('is none of these by a name that only begins alike', () => {
    expect(find('linux', { realPath: '/home/ana/boxes/synchrotron/data' })).toEqual([]);
  });
});
