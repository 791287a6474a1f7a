/*
 * Entry of the commands of package.json: `node src-main/start/enter.js start/start.ts …` runs that file of src-main, with
 * the words after it, once Node is known to be new enough for it.
 */
import { isNodeNewEnough } from './need-node.js';

if (isNodeNewEnough) {
  const [file = ''] = process.argv.splice(2, 1);
  await import(new URL(`../${file}`, import.meta.url).href);
}
