/**
 * The words of a command. A word may contain `$FOUND`, which is the output of `find`, or a variable that an earlier
 * step has set.
 */
export type Command = readonly string[];

/** A step of a deployment. It may run several times without harm. */
export type Step = Change | Update | Reading | Check;

export interface Change {
  /** A description, which the script prints when the step starts. */
  readonly what: string;
  /**
   * A command that prints something if the resource exists, and nothing if it does not. The deployment stops if the
   * command fails, so it must be a list: gcloud's `describe` also fails for a missing resource. Omitted if `create` may
   * also run for an existing resource.
   */
  readonly find?: Command;
  readonly create: Command;
  /** The command that updates an existing resource. Omitted if an existing resource stays unchanged. */
  readonly update?: Command;
  /** The script variable that stores the output of `find` for later steps. Its name is in capitals. */
  readonly keep?: string;
  /** The environment variable whose value the script pipes into `create`. So no command line contains a secret. */
  readonly input?: string;
  /** The condition for the step. Omitted if the step always runs. */
  readonly onlyIf?: Condition;
}

/** A step that updates a resource if necessary. The deployment stops if `find` fails. */
export interface Update {
  readonly what: string;
  /** A command that prints something only if the resource exists and must be updated. */
  readonly find: Command;
  readonly update: Command;
  readonly onlyIf?: Condition;
}

/**
 * The possible conditions, in bash. The first is true if the service is closed, the second if someone closed or opened
 * the service during the deployment.
 */
export type Condition = '"$CLOSED" = true' | '"$CLOSED" != "$CLOSED_BEFORE"';

/** A step that reads a value for later steps. The deployment stops if the command fails. */
export interface Reading {
  readonly what: string;
  readonly read: Command;
  /** The script variable that stores the value. Its name is in capitals. */
  readonly keep: string;
  /** The value to store if the command prints nothing. */
  readonly otherwise: string;
}

/**
 * A step that checks the result of earlier steps. The deployment stops unless the command `read` prints exactly
 * `expects`.
 */
export interface Check {
  readonly what: string;
  readonly read: Command;
  readonly expects: string;
}

/** Returns the filter of a list for the resource with this name, with or without the path of its parent. */
export function named(name: string): string {
  return `--filter=name~"(^|/)${name}$"`;
}

export function gcloud(...words: string[]): Command {
  return ['gcloud', ...words];
}
