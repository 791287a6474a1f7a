import { describe, expect, it } from 'vitest';
import { decideStep, type Step } from '../../../../src-main/core/shared-work/assess-link.ts';

const seen = (digest: string) => ({ digest, isConfirmed: true, file: 'views/a.json' });
const unseen = (digest: string) => ({ digest, isConfirmed: false, file: 'views/a.json' });

describe('what is to be done about an item', () => {
  it.each<[string, string | null, string | null, ReturnType<typeof seen> | null, Step]>([
    ['nothing changed', 'a', 'a', seen('a'), 'nothing'],
    ['it is on neither side, and never was', null, null, null, 'nothing'],
    ['it was deleted on both sides', null, null, seen('a'), 'settle'],
    ['both sides have the same, which was not known', 'a', 'a', null, 'settle'],
    ['both sides changed it alike', 'b', 'b', seen('a'), 'settle'],
    ['what was written is there', 'b', 'b', unseen('b'), 'settle'],
    ['it is new here', 'a', null, null, 'write'],
    ['it is new there', null, 'a', null, 'take'],
    ['it changed here', 'b', 'a', seen('a'), 'write'],
    ['it changed here again before the first change was seen there', 'c', 'b', unseen('b'), 'write'],
    ['it changed there', 'a', 'b', seen('a'), 'take'],
    ['it was deleted here', null, 'a', seen('a'), 'delete-theirs'],
    ['it was deleted there', 'a', null, seen('a'), 'delete-mine'],
    ['both changed it', 'b', 'c', seen('a'), 'conflict'],
    ['both made it, differently', 'b', 'c', null, 'conflict'],
    ['changed here, deleted there', 'b', null, seen('a'), 'conflict'],
    ['deleted here, changed there', null, 'b', seen('a'), 'conflict'],
    ['somebody wrote over what was just written, without having seen it', 'b', 'c', unseen('b'), 'conflict'],
    ['somebody deleted what was just written', 'b', null, unseen('b'), 'conflict'],
  ])('%s', (_what, mine, theirs, base, step) => {
    expect(decideStep({ mine, theirs, base })).toBe(step);
  });
});
