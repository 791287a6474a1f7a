import { afterEach, expect } from 'vitest';
import { uncaught } from './state.ts';

// What a listener of a native event throws is a modal error box in Electron.
afterEach(() => expect(uncaught.splice(0)).toEqual([]));
