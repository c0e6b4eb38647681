import { EXIT, Failure, wrongUsage } from './failure.ts';
import { ask, canAsk, tell } from './terminal.ts';

/** Refuses a destructive command that nobody can be asked about. Throws a {@link Failure}. */
export function refuseUnasked(command: string, isConfirmed: boolean | undefined): void {
  if (isConfirmed || canAsk()) return;
  throw wrongUsage(`${command} loses data for good: confirm it with --yes, or run it at a terminal`);
}

/** Says what will be lost and has the thing's name typed. Throws a {@link Failure} where another one is. */
export async function confirmByName(name: string, consequence: string): Promise<void> {
  tell(consequence);
  const typed = await ask("Type the key's name to confirm: ");
  if (typed !== name) throw new Failure(EXIT.local, 'not_confirmed', 'that is not its name: nothing was done');
}
