export { DataKeys, type RecordOptions } from './data-keys.ts';
export type { Limits } from './limits.ts';
