/**
 * Header of a stream of events: the id of the event after which it goes on. A page that connects again sends the last id
 * it has in `last-event-id`; where the answer names the same one, the page missed nothing.
 */
export const EVENT_POSITION_HEADER = 'x-channelscope-event-id';
