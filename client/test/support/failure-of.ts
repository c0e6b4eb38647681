import { EncryptionServiceError } from '../../src/errors.ts';

/** What a call fails with. Throws where it does not, or with something else. */
export async function failureOf(call: Promise<unknown>): Promise<EncryptionServiceError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof EncryptionServiceError) return thrown;
  throw new Error('the call did not fail as a call does', { cause: thrown });
}
