import { gatherMessages, type Messages } from '../gather-messages.ts';

const files = import.meta.glob<Messages>(
  ['../es/*/*.json', '../../../src-main/common/words/es/{casefile,findings,importing,levels}.json'],
  { eager: true, import: 'default' },
);

/** All messages of the window in Spanish. */
export const messages = gatherMessages(files);
