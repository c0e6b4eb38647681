/**
 * Where nobody listens: Linux gives ports below 1024 to nobody who does not ask for them. `fetch` refuses some of them
 * itself, such as 1, but not this one.
 */
export const NOWHERE = 'http://127.0.0.1:2';
