export { toVisible } from '../../src-main/common/words/visible-text.ts';
