import { EXIT, Failure, wrongUsage } from './failure.ts';
import { ask, canAsk, tell } from './terminal.ts';

/** Throws a {@link Failure} if confirmation is needed but nobody can be asked. */
export function requireConfirmable(
  command: string,
  isConfirmed: boolean | undefined,
  effect = 'permanently destroys data',
): void {
  if (isConfirmed || canAsk()) return;
  throw wrongUsage(`${command} ${effect}; pass --yes, or run it in a terminal to confirm`);
}

/** Asks for confirmation. Throws a {@link Failure} unless the answer is yes. */
export async function confirmByYes(consequence: string): Promise<void> {
  tell(consequence);
  const typed = await ask('Type yes to confirm: ');
  if (typed.trim().toLowerCase() === 'yes') return;
  throw new Failure(EXIT.local, 'not_confirmed', 'you did not confirm; nothing was changed');
}

/** Asks for a name as confirmation. Throws a {@link Failure} unless the person types this name. */
export async function confirmByName(name: string, consequence: string): Promise<void> {
  tell(consequence);
  const typed = await ask("Type the key's name to confirm: ");
  if (typed !== name) throw new Failure(EXIT.local, 'not_confirmed', 'the name does not match; nothing was changed');
}
