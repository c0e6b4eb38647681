import { status } from '@grpc/grpc-js';

/** A refusal as the caller sees it: a gRPC status code and a message. */
export class KmsError extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

/** The request is wrong whatever the state of the resources. */
export const invalidArgument = (message: string): KmsError => new KmsError(status.INVALID_ARGUMENT, message);

/** No resource has this name. */
export const notFound = (kind: string, name: string): KmsError =>
  new KmsError(status.NOT_FOUND, `${kind} ${name} not found.`);

/** The name is taken, for ever: nothing is deleted. */
export const alreadyExists = (kind: string, name: string): KmsError =>
  new KmsError(status.ALREADY_EXISTS, `${kind} ${name} already exists.`);

/** The resource is not in a state that allows this. */
export const failedPrecondition = (message: string): KmsError => new KmsError(status.FAILED_PRECONDITION, message);

/** Cloud KMS can do this and the emulator cannot. */
export const unimplemented = (what: string): KmsError =>
  new KmsError(status.UNIMPLEMENTED, `The KMS emulator does not implement ${what}.`);
