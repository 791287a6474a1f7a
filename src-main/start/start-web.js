/*
 * Entry of `npm run start:web`, in JavaScript: from the second start on, Node runs what it kept of the TypeScript, and
 * needs no compiler, which would take 30 ms and 20 MB of each.
 */
import { keepCompiled } from '../node/keep-compiled.js';
import { isNodeNewEnough } from './need-node.js';

if (isNodeNewEnough) {
  keepCompiled();
  await import('./start-web.ts');
}
