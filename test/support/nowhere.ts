/**
 * An address where no server listens: Linux gives ports below 1024 only to processes that ask for them. `fetch` blocks
 * some of these ports, such as 1, but not this one.
 */
export const NOWHERE = 'http://127.0.0.1:2';
