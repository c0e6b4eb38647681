import { Command as Commander } from 'commander';

export type Example = readonly [what: string, command: string];

/** A command whose help shows its examples first and its remarks last. */
export class Command extends Commander {
  #examples: readonly Example[] = [];
  #remarks = '';

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  examples(...examples: readonly Example[]): this {
    this.#examples = examples;
    return this;
  }

  /** Adds text at the end of the help: paragraphs, the title of a list, or indented lines `TERM  MEANING`. */
  remarks(text: string): this {
    this.#remarks = text;
    return this;
  }

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
