import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { traceFields } from '../../../shared/http/trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OTHER = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = 'b7ad6b7169203331';
const ZEROS = '0'.repeat(32);

function logged(traceId: string, spanId?: string) {
  return { 'logging.googleapis.com/trace': `projects/p/traces/${traceId}`, 'logging.googleapis.com/spanId': spanId };
}

describe('traceparent', () => {
  test.each(['00', '01', 'ff'])('trace id and span id are read from traceparent, whatever its flags: %s', (flags) => {
    expect(traceFields('p', { traceparent: `00-${TRACE}-${SPAN}-${flags}` })).toEqual(logged(TRACE, SPAN));
  });

  test.each([
    ['an empty value', ''],
    ['a version that Google Cloud does not send', `01-${TRACE}-${SPAN}-01`],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['a trace id of zeros', `00-${ZEROS}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${ZEROS.slice(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long trace id', `00-${TRACE}0-${SPAN}-01`],
    ['a short span id', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['text after the flags', `00-${TRACE}-${SPAN}-01-x`],
    ['a line break at the end', `00-${TRACE}-${SPAN}-01\n`],
    ['white space', ` 00-${TRACE}-${SPAN}-01`],
    ['two values', `00-${TRACE}-${SPAN}-01, 00-${OTHER}-${SPAN}-01`],
  ])('a traceparent with %s is ignored', (_, traceparent) => {
    expect(traceFields('p', { traceparent })).toEqual({});
  });
});

describe('x-cloud-trace-context', () => {
  test.each([
    ['only the trace', TRACE, undefined],
    ['a span', `${TRACE}/1`, '0000000000000001'],
    ['a span and options', `${TRACE}/13235353014750950193;o=1`, SPAN],
    ['the largest span', `${TRACE}/18446744073709551615;o=0`, 'ffffffffffffffff'],
    ['a span of 0, which means no span', `${TRACE}/0;o=1`, undefined],
    ['options without a span', `${TRACE};o=1`, undefined],
  ])('the header x-cloud-trace-context is read, and its span is converted to hexadecimal: %s', (_, header, spanId) => {
    expect(traceFields('p', { 'x-cloud-trace-context': header })).toEqual(logged(TRACE, spanId));
  });

  test.each([
    ['an empty value', ''],
    ['a trace id of zeros', `${ZEROS}/1`],
    ['a short trace id', `${TRACE.slice(1)}/1`],
    ['upper case', `${TRACE.toUpperCase()}/1`],
    ['a span beyond 64 bits', `${TRACE}/18446744073709551616`],
    ['a span in hexadecimal', `${TRACE}/${SPAN}`],
    ['a negative span', `${TRACE}/-1`],
    ['an empty span', `${TRACE}/;o=1`],
    ['options in words', `${TRACE}/1;o=yes`],
    ['text after the options', `${TRACE}/1;o=1;x`],
    ['a line break at the end', `${TRACE}/1\n`],
  ])('an x-cloud-trace-context with %s is ignored', (_, header) => {
    expect(traceFields('p', { 'x-cloud-trace-context': header })).toEqual({});
  });

  test('x-cloud-trace-context is used only if traceparent is malformed or absent', () => {
    const other = { 'x-cloud-trace-context': `${OTHER}/1` };
    expect(traceFields('p', { traceparent: `00-${TRACE}-${SPAN}-01`, ...other })).toEqual(logged(TRACE, SPAN));
    expect(traceFields('p', { traceparent: 'x', ...other })).toEqual(logged(OTHER, '0000000000000001'));
  });
});

test('the trace fields of a log line contain only well-formed ids, whatever the headers contain', () => {
  const valid = [`00-${TRACE}-${SPAN}-01`, `${TRACE}/13235353014750950193;o=1`];
  const nearly = fc
    .tuple(
      fc.constantFrom(...valid),
      fc.nat({ max: 60 }),
      fc.nat({ max: 2 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    .map(([header, at, taken, put]) => header.slice(0, at) + put + header.slice(at + taken));
  const header = fc.oneof(fc.string({ unit: 'binary' }), nearly, fc.array(nearly), fc.constant(undefined));
  fc.assert(
    fc.property(header, header, (traceparent, cloud) => {
      const headers = { 'x-cloud-trace-context': cloud, ...(typeof traceparent === 'string' && { traceparent }) };
      const fields = traceFields('p', headers);
      if (Object.keys(fields).length === 0) return;
      expect(Object.keys(fields)).toEqual(Object.keys(logged(TRACE)));
      expect(fields['logging.googleapis.com/trace']).toMatch(/^projects\/p\/traces\/[0-9a-f]{32}$/);
      expect(fields['logging.googleapis.com/spanId'] ?? SPAN).toMatch(/^[0-9a-f]{16}$/);
    }),
    { numRuns: 2_000 },
  );
});
