import { status } from '@grpc/grpc-js';

export class KmsError extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidArgument(message: string): KmsError {
  return new KmsError(status.INVALID_ARGUMENT, message);
}

export function notFound(kind: string, name: string): KmsError {
  return new KmsError(status.NOT_FOUND, `${kind} ${name} not found.`);
}

export function alreadyExists(kind: string, name: string): KmsError {
  return new KmsError(status.ALREADY_EXISTS, `${kind} ${name} already exists.`);
}

export function failedPrecondition(message: string): KmsError {
  return new KmsError(status.FAILED_PRECONDITION, message);
}

/** Returns the error for a feature of Cloud KMS that the emulator does not have. */
export function unimplemented(what: string): KmsError {
  return new KmsError(status.UNIMPLEMENTED, `The KMS emulator does not implement ${what}.`);
}
