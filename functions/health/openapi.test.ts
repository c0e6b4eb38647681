import { operation } from '../../test/support/operation.ts';

operation({ call: 'GET /v1/openapi.json', credential: 'none', good: '200', dependencies: [], request: () => ({}) });
