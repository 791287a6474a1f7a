import { gatherMessages, type Messages } from '../gather-messages.ts';

const files = import.meta.glob<Messages>(
  ['../de/*/*.json', '../../../src-main/common/words/de/{casefile,findings,importing,levels}.json'],
  { eager: true, import: 'default' },
);

/** All messages of the window in German. */
export const messages = gatherMessages(files);
