import type { Notice } from '../../../src-main/common/model/notice.ts';

/** Filled in when the whole application is built, from the packages that its parts are bundled from. */
export const notices: readonly Notice[] = [];
