/** The words of a command. One may hold `$FOUND`, the output of `find`, or a variable that an earlier step keeps. */
export type Command = readonly string[];

/** A step of a deployment. It is idempotent. */
export interface Step {
  /** What it makes or changes, for the output. */
  readonly what: string;
  /** Prints something if, and only if, the thing exists. Without it, `create` is idempotent itself. */
  readonly find?: Command;
  readonly create: Command;
  /** Updates the thing where it exists. Without it, it stays as it is. */
  readonly update?: Command;
  /** The variable, in capitals, in which later steps find the output of `find`. */
  readonly keep?: string;
  /** The environment variable that is piped into `create`, so that a secret is on no command line. */
  readonly input?: string;
}

/** A command of the Google Cloud CLI. */
export function gcloud(...words: string[]): Command {
  return ['gcloud', ...words];
}
