import { ApiError } from '../errors.ts';

/** The most characters of a name. */
export const NAME_LENGTH = 128;

/** Unicode's category Cc is exactly U+0000 to U+001F and U+007F to U+009F. */
const CONTROL = /\p{Cc}/u;

/** Throws `invalid_name` unless the text, a name or the named field, has 1 to 128 Unicode scalar values, no control character, and visible text. */
export function refuseName(name: string, field = 'name'): void {
  if (name.trim() === '') throw new ApiError('invalid_name', `${field} must not be empty or only whitespace`);
  if ([...name].length > NAME_LENGTH)
    throw new ApiError('invalid_name', `${field} must be at most ${NAME_LENGTH} characters`);
  if (CONTROL.test(name)) throw new ApiError('invalid_name', `${field} must not contain control characters`);
  if (!name.isWellFormed()) throw new ApiError('invalid_name', `${field} must be well-formed Unicode`);
}
