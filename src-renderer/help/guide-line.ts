import { h, type FunctionalComponent, type VNodeChild } from 'vue';
import { RouterLink } from 'vue-router';
import type { GuideLine as Line, GuideText } from '../../src-main/common/help/guide-page.ts';
import { isShown } from './guide.ts';

/** A line of the guide. A template would put spaces between its pieces. */
export const GuideLine: FunctionalComponent<{ line: Line }> = ({ line }) => line.map(draw);
GuideLine.props = ['line'];

function draw(piece: GuideText): VNodeChild {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'code':
      return h('code', piece.text);
    case 'strong':
      return h('strong', piece.parts.map(draw));
    case 'emphasis':
      return h('em', piece.parts.map(draw));
    case 'link':
      // Pages for readers of the sources aren't in Help.
      return isShown(piece.to)
        ? h(RouterLink, { to: piece.to }, () => piece.parts.map(draw))
        : h('span', piece.parts.map(draw));
  }
}
