/* What Node loads in the process of every function before anything else (NODE_OPTIONS). */
import './keep-heap.ts';
import './without-domain.ts';
