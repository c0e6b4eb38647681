import { EncryptionServiceError } from '../../src/errors.ts';

/** Returns the error of a failed call. Throws if the call succeeds or fails with another kind of error. */
export async function failureOf(call: Promise<unknown>): Promise<EncryptionServiceError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof EncryptionServiceError) return thrown;
  throw new Error('the call did not fail with an EncryptionServiceError', { cause: thrown });
}
