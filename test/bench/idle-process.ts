// Stands in for the engine where it is to rest: takes every message, and ends with its parent.
process.on('message', () => undefined);
process.on('disconnect', () => process.exit());
