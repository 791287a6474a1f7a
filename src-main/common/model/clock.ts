import { Type, type Static } from 'typebox';

/** Whose clock times are shown in: that of a connection's service, this computer's, or UTC. */
export const Clock = Type.Union([Type.Literal('service'), Type.Literal('local'), Type.Literal('utc')], {
  default: 'service',
});
export type Clock = Static<typeof Clock>;
