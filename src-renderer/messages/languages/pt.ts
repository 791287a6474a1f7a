import { gatherMessages, type Messages } from '../gather-messages.ts';

const files = import.meta.glob<Messages>(
  ['../pt/*/*.json', '../../../src-main/common/words/pt/{casefile,findings,importing,levels}.json'],
  { eager: true, import: 'default' },
);

/** All messages of the window in Portuguese. */
export const messages = gatherMessages(files);
