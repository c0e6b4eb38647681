import { EXIT, Failure, wrongUsage } from './failure.ts';
import { ask, canAsk, tell } from './terminal.ts';

/** Refuses a command that needs a confirmation when there is nobody to ask. Throws a {@link Failure}. */
export function refuseUnasked(
  command: string,
  isConfirmed: boolean | undefined,
  effect = 'permanently destroys data',
): void {
  if (isConfirmed || canAsk()) return;
  throw wrongUsage(`${command} ${effect}; pass --yes, or run it in a terminal to confirm`);
}

/** Says what will change and asks for a yes. Throws a {@link Failure} for any other answer. */
export async function confirmByYes(consequence: string): Promise<void> {
  tell(consequence);
  const typed = await ask('Type yes to confirm: ');
  if (typed.trim().toLowerCase() === 'yes') return;
  throw new Failure(EXIT.local, 'not_confirmed', 'you did not confirm; nothing was changed');
}

/** Says what will be lost and has the thing's name typed. Throws a {@link Failure} where another one is. */
export async function confirmByName(name: string, consequence: string): Promise<void> {
  tell(consequence);
  const typed = await ask("Type the key's name to confirm: ");
  if (typed !== name) throw new Failure(EXIT.local, 'not_confirmed', 'the name does not match; nothing was changed');
}
