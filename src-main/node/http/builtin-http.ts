/**
 * Node's `http`. Imported as a module, it would bring Node's whole fetch with it, WebSockets included: 30 ms of each
 * process and thread that may never need it.
 */
export const http = process.getBuiltinModule('node:http');
