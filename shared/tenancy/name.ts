import { ApiError } from '../errors.ts';

export const NAME_LENGTH = 128;

/** Unicode's category Cc is exactly U+0000 to U+001F and U+007F to U+009F. */
const CONTROL = /\p{Cc}/u;

/** Throws `invalid_name` if the text is blank, exceeds 128 Unicode scalar values or has control characters. */
export function refuseName(name: string, field = 'name'): void {
  if (name.trim() === '') throw new ApiError('invalid_name', `${field} must not be empty or only whitespace`);
  if ([...name].length > NAME_LENGTH)
    throw new ApiError('invalid_name', `${field} must be at most ${NAME_LENGTH} characters`);
  if (CONTROL.test(name)) throw new ApiError('invalid_name', `${field} must not contain control characters`);
  if (!name.isWellFormed()) throw new ApiError('invalid_name', `${field} must be well-formed Unicode`);
}
