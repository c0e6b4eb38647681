import { operation } from '../../test/support/operation.ts';

operation({ call: 'GET /v1/sign-in', credential: 'none', good: '200', dependencies: [], request: () => ({}) });
