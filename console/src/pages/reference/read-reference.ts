import { Answers } from '../../service/answer.ts';
import type { Reference } from './reference.ts';

/** The API reference: large, and loaded only where it is shown. */
export const reference = new Answers(async (): Promise<Reference> => {
  const { default: loaded } = await import('./reference.json', { with: { type: 'json' } });
  return loaded;
});
