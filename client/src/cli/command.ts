import { Command as Commander } from 'commander';

/** A command whose help shows its examples before its arguments and options. */
export class Command extends Commander {
  #examples = '';

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Adds examples: each is a line that says what it is for, then the command line. */
  examples(...pairs: readonly (readonly [what: string, command: string])[]): this {
    const lines = pairs.map(([what, command]) => `  # ${what}\n  ${command.replaceAll('\n', '\n  ')}\n`);
    this.#examples = `Examples:\n${lines.join('\n')}\n`;
    return this;
  }

  override helpInformation(): string {
    return super.helpInformation().replace(/^(?=(?:Arguments|Options):$)/m, () => this.#examples);
  }
}
