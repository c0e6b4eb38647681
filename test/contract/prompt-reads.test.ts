import { expect, inject, test, vi } from 'vitest';
import { portsOf } from '../../emulators/stack/ports.ts';

test('a read waits for no timer before it is sent', async () => {
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', `127.0.0.1:${portsOf(inject('stack')).firestore}`);
  // No timer fires while it is faked. The client takes the timers that are there when it is loaded.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { PromptFirestore } = await import('../../shared/store/prompt-firestore.ts');
  const db = new PromptFirestore({ projectId: 'demo-encryption' });
  expect((await db.doc('promptReads/none').get()).exists).toBe(false);
  vi.useRealTimers();
  await db.terminate();
});
