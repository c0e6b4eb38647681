/**
 * The words of a command. A word may contain `$FOUND`, which is the output of `find`, or a variable that an earlier
 * step has set.
 */
export type Command = readonly string[];

/** A step of a deployment. It may run several times without harm. */
export type Step = Change | Update | Reading | Check | Trial;

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
  /** Whether the script waits if Google does not know yet what an earlier step has created. */
  readonly patient?: true;
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
 * The possible conditions, in bash: the service is closed; it is open; someone closed or opened it during the
 * deployment; or a step has found something that existed before the deployment.
 */
export type Condition =
  | '"$CLOSED" = true'
  | '"$CLOSED" != true'
  | '"$CLOSED" != "$CLOSED_BEFORE"'
  | `-n "$PREVIOUS_${string}"`;

/** A step that reads a value for later steps. The deployment stops if the command fails. */
export interface Reading {
  readonly what: string;
  readonly read: Command;
  /** The script variable that stores the value. Its name is in capitals. */
  readonly keep: string;
  /** The value to store if the command prints nothing. */
  readonly otherwise: string;
  /** Whether the script waits if Google does not know yet that an API is enabled. */
  readonly patient?: true;
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

/**
 * A step that tests the deployed service. If the test fails, the script runs the steps `undo` if the condition `undoIf`
 * is true, or else the steps `otherwise`. Then it prints what it has done, and stops.
 */
export interface Trial {
  readonly what: string;
  readonly test: Command;
  /** The script variable that the test gets as an environment variable. No other command gets it. */
  readonly needs: string;
  readonly undoIf: Condition;
  readonly undo: readonly Step[];
  /** The message after the steps `undo`, as a sentence without a full stop. */
  readonly undone: string;
  readonly otherwise: readonly Step[];
  /** The message after the steps `otherwise`, as a sentence without a full stop. */
  readonly otherwiseDone: string;
  readonly onlyIf?: Condition;
}

/** Returns the filter of a list for the resource with this name, with or without the path of its parent. */
export function named(name: string): string {
  return `--filter=name~"(^|/)${name}$"`;
}

export function gcloud(...words: string[]): Command {
  return ['gcloud', ...words];
}
