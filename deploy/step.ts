/** A command, by its words, the program first. A word may hold `$FOUND`, what `find` printed, or what an earlier step keeps. */
export type Command = readonly string[];

/** One thing that a deployment has. Running a step again changes nothing that is as it should be. */
export interface Step {
  /** What it sees to. */
  readonly what: string;
  /** Prints something, and only then, if the thing is there. Without it, `create` is a command that may be repeated. */
  readonly find?: Command;
  readonly create: Command;
  /** Brings what is there up to date. Without it, what is there stays. */
  readonly update?: Command;
  /** The name, in capitals, under which later steps have what `find` prints. */
  readonly keep?: string;
  /** The variable of the deployer's environment that is piped into `create`: a secret stands on no command line. */
  readonly input?: string;
}

/** A command of the Google Cloud CLI. */
export function gcloud(...words: string[]): Command {
  return ['gcloud', ...words];
}
