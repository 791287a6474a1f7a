import type { Notice } from '../../../src-main/common/model/notice.ts';

/** The build puts another module in place of this one, from the packages that the application's parts are bundled from. */
export const notices: readonly Notice[] = [];
