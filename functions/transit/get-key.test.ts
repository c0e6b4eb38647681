import { operation } from '../../test/support/operation.ts';
import { named } from '../../test/support/tenant.ts';

operation({
  call: 'GET /v1/transit/keys/{name}',
  transit: true,
  credential: 'api_key',
  good: '200',
  dependencies: ['firestore'],
  request: async ({ createKey }, tier) => {
    const { name } = named();
    await createKey(tier, name);
    return { id: name };
  },
  refuses: [['400 invalid_query', { query: '?context=AAAA' }]],
});
