import { operation } from '../../test/support/operation.ts';

operation({ call: 'GET /health', credential: 'none', good: '200', dependencies: [], request: () => ({}) });
