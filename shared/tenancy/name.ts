import { ApiError } from '../errors.ts';

/** Unicode's category Cc is exactly U+0000 to U+001F and U+007F to U+009F. */
const CONTROL = /\p{Cc}/u;

/** Throws `invalid_name` unless the name has 1 to 128 Unicode scalar values, no control character, and visible text. */
export function refuseName(name: string): void {
  if (name.trim() === '') throw new ApiError('invalid_name', 'name is empty or only white space');
  if ([...name].length > 128) throw new ApiError('invalid_name', 'name is longer than 128 characters');
  if (CONTROL.test(name)) throw new ApiError('invalid_name', 'name has a control character');
  if (!name.isWellFormed()) throw new ApiError('invalid_name', 'name is not well-formed Unicode');
}
