/*
 * Loaded first in every function's process (NODE_OPTIONS). functions-framework loads node:domain, which wraps every
 * EventEmitter and so costs 7 % of an operation's CPU time. This file loads node:domain first and undoes its changes.
 * When the framework loads node:domain again, Node does not run it again.
 */
import { EventEmitter } from 'node:events';

const init: unknown = Reflect.get(EventEmitter, 'init');
const { emit } = EventEmitter.prototype;
process.getBuiltinModule('node:domain');
Reflect.set(EventEmitter, 'init', init);
EventEmitter.prototype.emit = emit;
