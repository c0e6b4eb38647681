/** The words of a command. A word may contain `$FOUND`, the output of `find`, or a variable of an earlier step. */
export type Command = readonly string[];

/** A step of a deployment. Running it again is harmless. */
export type Step = Change | Update | Reading | Check;

export interface Change {
  /** Printed when the step starts. */
  readonly what: string;
  /** Prints something only if the resource exists. Omitted if `create` is idempotent. */
  readonly find?: Command;
  readonly create: Command;
  /** Omitted if an existing resource stays unchanged. */
  readonly update?: Command;
  /** The script variable, in capitals, that keeps the output of `find` for later steps. */
  readonly keep?: string;
  /** The environment variable whose value is piped into `create`, so that no command line has a secret. */
  readonly input?: string;
  /** Omitted if the step always runs. */
  readonly onlyIf?: Condition;
}

/** Updates an existing resource if necessary. The deployment stops if `find` fails. */
export interface Update {
  readonly what: string;
  /** Prints something only if the resource exists and must be updated. */
  readonly find: Command;
  readonly update: Command;
  readonly onlyIf?: Condition;
}

/** Bash conditions: the service is closed, or someone closed or opened it during the deployment. */
export type Condition = '"$CLOSED" = true' | '"$CLOSED" != "$CLOSED_BEFORE"';

/** Reads a value for later steps. The deployment stops if the command fails. */
export interface Reading {
  readonly what: string;
  readonly read: Command;
  /** The script variable, in capitals, that keeps the value. */
  readonly keep: string;
  /** The value if the command prints nothing. */
  readonly otherwise: string;
}

/** Checks the result of earlier steps. The deployment stops unless `read` prints exactly `expects`. */
export interface Check {
  readonly what: string;
  readonly read: Command;
  readonly expects: string;
}

export function gcloud(...words: string[]): Command {
  return ['gcloud', ...words];
}
