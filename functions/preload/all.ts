/* Loaded first in every function's process (NODE_OPTIONS). */
import './keep-heap.ts';
import './without-domain.ts';
