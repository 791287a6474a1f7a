import { createWords, type Words } from './words.ts';

/** For what stays English, whatever the window speaks: files that programs read. */
export const ENGLISH: Words = createWords('en', []);
