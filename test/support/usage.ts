import { z } from 'zod';
import { type Addresses, control } from './client.ts';
import { dailyUsageObject, read, usageObject } from './objects.ts';
import { readClock } from './steer.ts';
import type { Client } from './tenant.ts';

export type UsageLine = z.output<typeof usageObject>;

/** Returns the usage lines that the client can see for a month (`YYYY-MM`), by default the current month. */
export async function usageOf(client: Client, period?: string): Promise<UsageLine[]> {
  const query = period === undefined ? '' : `?period=${period}`;
  return read(z.array(usageObject), await client.send('GET', `/v1/usage${query}`));
}

/** Returns the daily usage lines that the client gets for a query (`?period=…`). */
export async function daysOf(client: Client, query: string = ''): Promise<z.output<typeof dailyUsageObject>[]> {
  return read(z.array(dailyUsageObject), await client.send('GET', `/v1/usage/daily${query}`));
}

/** Returns the usage line of a key for a month. Throws if the client cannot see the key. */
export async function lineOf(client: Client, keyId: string, period?: string): Promise<UsageLine> {
  const line = (await usageOf(client, period)).find(({ key_id }) => key_id === keyId);
  if (line === undefined) throw new Error(`no usage line of ${keyId}`);
  return line;
}

/** Sets the number of operations of a key in a month. */
export async function setOps(client: Client, keyId: string, period: string, ops: number): Promise<void> {
  await control(client.stack, 'POST', '/usage', { key_id: keyId, period, ops });
}

/** Lets a `free` key reach its monthly cap. */
export async function reachCap(stack: Addresses, keyId: string): Promise<void> {
  await setOpsNow(stack, keyId, 10_000);
}

/** Sets the number of operations of a key in this month, and in the next one, which may begin during the test. */
export async function setOpsNow(stack: Addresses, keyId: string, ops: number): Promise<void> {
  const [year = 0, month = 0] = (await readClock(stack)).split('-').map(Number);
  for (const at of [month - 1, month]) {
    const period = new Date(Date.UTC(year, at)).toISOString().slice(0, 7);
    await control(stack, 'POST', '/usage', { key_id: keyId, period, ops });
  }
}
