import { status } from '@grpc/grpc-js';

/** An error as the client sees it: a gRPC status code and a message. */
export class KmsError extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

/** For a request that is wrong whatever the state of the resources. */
export function invalidArgument(message: string): KmsError {
  return new KmsError(status.INVALID_ARGUMENT, message);
}

/** For a name that no resource has. */
export function notFound(kind: string, name: string): KmsError {
  return new KmsError(status.NOT_FOUND, `${kind} ${name} not found.`);
}

/** For a name that is taken. As resources are never deleted, it stays so. */
export function alreadyExists(kind: string, name: string): KmsError {
  return new KmsError(status.ALREADY_EXISTS, `${kind} ${name} already exists.`);
}

/** For a resource whose state does not allow the call. */
export function failedPrecondition(message: string): KmsError {
  return new KmsError(status.FAILED_PRECONDITION, message);
}

/** For what Cloud KMS can do and the emulator cannot. */
export function unimplemented(what: string): KmsError {
  return new KmsError(status.UNIMPLEMENTED, `The KMS emulator does not implement ${what}.`);
}
