import { Command as Commander } from 'commander';

/** A line that says what it is for, and the command line. */
export type Example = readonly [what: string, command: string];

/** A command whose help shows its examples before its arguments and options, and remarks at the end. */
export class Command extends Commander {
  #examples: readonly Example[] = [];
  #remarks = '';

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Adds examples to the help. */
  examples(...examples: readonly Example[]): this {
    this.#examples = examples;
    return this;
  }

  /** Adds text at the end of the help: paragraphs, the title of a list, or indented lines `TERM  MEANING`. */
  remarks(text: string): this {
    this.#remarks = text;
    return this;
  }

  /** What the help of this command consists of besides what commander knows. */
  get notes(): { readonly examples: readonly Example[]; readonly remarks: string } {
    return { examples: this.#examples, remarks: this.#remarks };
  }

  override helpInformation(): string {
    const lines = this.#examples.map(([what, line]) => `  # ${what}\n  ${line.replaceAll('\n', '\n  ')}\n`);
    const examples = lines.length === 0 ? '' : `Examples:\n${lines.join('\n')}\n`;
    const help = super.helpInformation().replace(/^(?=(?:Arguments|Options):$)/m, () => examples);
    return this.#remarks === '' ? help : `${help}\n${this.#remarks}\n`;
  }
}
