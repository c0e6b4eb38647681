/** The words of a command. One may hold `$FOUND`, the output of `find`, or a variable that an earlier step keeps. */
export type Command = readonly string[];

/** A step of a deployment. It is idempotent. */
export type Step = Change | Update | Reading | Check;

/** Makes or changes something. */
export interface Change {
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
  /** When the step is needed. Without it: always. */
  readonly onlyIf?: Condition;
}

/** Updates something that exists, if it must be updated. The deployment stops if `find` fails. */
export interface Update {
  readonly what: string;
  /** Prints something if, and only if, the thing exists and must be updated. */
  readonly find: Command;
  readonly update: Command;
  readonly onlyIf?: Condition;
}

/** In bash: the service is closed, or it was closed or opened during the deployment. */
export type Condition = '"$CLOSED" = true' | '"$CLOSED" != "$CLOSED_BEFORE"';

/** Reads something that later steps depend on. The deployment stops if it cannot be read. */
export interface Reading {
  readonly what: string;
  readonly read: Command;
  /** The variable, in capitals, in which later steps find it. */
  readonly keep: string;
  /** Its value where nothing is printed. */
  readonly otherwise: string;
}

/** Checks what earlier steps have made. The deployment stops unless exactly this is printed. */
export interface Check {
  readonly what: string;
  readonly read: Command;
  readonly expects: string;
}

/** A command of the Google Cloud CLI. */
export function gcloud(...words: string[]): Command {
  return ['gcloud', ...words];
}
