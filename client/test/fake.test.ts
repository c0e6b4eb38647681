import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EncryptionService } from '../src/index.ts';
import { fakeService } from '../src/testing/index.ts';

describe('the fake', () => {
  test('the fake can be called like the global fetch', async () => {
    const { url, apiKey, keyId, fetch: send } = fakeService();
    const headers = new Headers({ authorization: `Bearer ${apiKey}` });
    const answer = await send(new URL(`${url}/v1/keys`), { headers });
    expect([answer.status, await answer.json()]).toMatchObject([200, [{ id: keyId, tier: 'software' }]]);
    expect((await send(`${url}/v1/keys`)).status).toBe(401);
  });

  test('fail makes the next requests fail with a code, and an unknown code is a TypeError', async () => {
    const fake = fakeService();
    const service = new EncryptionService({ ...fake, maxRetries: 0 });
    fake.fail('ops_cap_reached');
    fake.fail('unavailable', 2);
    const codes: unknown[] = [];
    for (let time = 0; time < 4; time++) codes.push(await service.listKeys().catch(({ code }) => code));
    expect(codes).toEqual(['ops_cap_reached', 'unavailable', 'unavailable', [expect.anything()]]);
    expect(() => fake.fail(Object('no_such_code'))).toThrow(TypeError);
  });

  test('what the fake does not have is an internal_error that names method and path', async () => {
    const fake = fakeService();
    const failure = { code: 'internal_error', message: 'the fake does not know GET /v1/usage' };
    await expect(new EncryptionService(fake).readUsage()).rejects.toMatchObject(failure);
    expect(fake.calls).toEqual([{ operation: 'read_usage', keyId: null }]);
  });

  test('a free key of the fake has its monthly cap', async () => {
    // The cap applies to each month, so the month must not end during the test.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const service = new EncryptionService(fakeService());
    const { id } = await service.createKey({ name: 'free', tier: 'free' });
    // A busy machine cannot answer all of them within the client's deadline.
    for (let sent = 0; sent < 10_000; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => service.wrap(id)));
    }
    const capReached = { code: 'ops_cap_reached', resetsAt: expect.any(Date) };
    await expect(service.wrap(id)).rejects.toMatchObject(capReached);
    // The cap comes before any cryptography, so the fake does not look at the damaged ciphertext.
    const damaged = { ciphertext: new Uint8Array(60) };
    await expect(service.decrypt(id, damaged)).rejects.toMatchObject(capReached);
    await expect(service.rewrap(id, damaged)).rejects.toMatchObject(capReached);
    await expect(service.unwrap(id, { wrapped: new Uint8Array(60) })).rejects.toMatchObject(capReached);
  });

  test('fail with ops_cap_reached makes an error that has the cap, and when it resets', async () => {
    const { url, apiKey, fail, fetch: send } = fakeService();
    fail('ops_cap_reached');
    const answer = await send(`${url}/v1/keys`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(await answer.json()).toMatchObject({ cap: 10_000, resets_at: expect.stringMatching(/-01T00:00:00/) });
  });

  test('fail makes any number of requests fail', () => {
    expect(() => fakeService().fail('unavailable', 200_000)).not.toThrow();
  });
});
