import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

// Vitest ends its processes by a signal, at which Node writes no coverage.
afterAll(() => takeCoverage());
