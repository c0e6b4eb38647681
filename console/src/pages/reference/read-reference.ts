import { Answers } from '../../service/answer.ts';
import type { Reference } from './reference.ts';

/** The API reference. Because it is large, it is loaded only when a page needs it. */
export const reference = new Answers(async (): Promise<Reference> => {
  const { default: loaded } = await import('./reference.json', { with: { type: 'json' } });
  return loaded;
});
